import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';

/**
 * The first executable file of this name in these directories, or undefined. Relative directories are passed
 * over: what runs must not depend on where the process stands.
 */
export async function findOnPath(name: string, searchPath: readonly string[]): Promise<string | undefined> {
  for (const directory of searchPath) {
    if (!isAbsolute(directory)) continue;
    const file = join(directory, name);
    try {
      await access(file, constants.X_OK);
      if ((await stat(file)).isFile()) return file;
    } catch {
      // Not here.
    }
  }
  return undefined;
}
