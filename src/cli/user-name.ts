import { userInfo } from 'node:os';

/** Who decides, unless told otherwise: the user of this process. A user without an entry in the system's list has no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'local';
  }
}
