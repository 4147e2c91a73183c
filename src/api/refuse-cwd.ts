import { HoldfastError } from '../contract/error-codes.js';
import { isJsonObject } from '../contract/json.js';
import { CWD_NOT_PERMITTED } from '../contract/names.js';

/**
 * Refuses a body that names a cwd, at whatever depth (`path:workspace`). Throws HoldfastError `cwd_not_permitted`.
 *
 * @param except a member of the body that is not looked into: arguments are the tool's own.
 */
export function refuseCwd(body: unknown, except?: string): void {
  if (!isJsonObject(body)) return;
  if (Object.entries(body).some(([name, value]) => name === 'cwd' || (name !== except && holdsCwd(value)))) {
    throw new HoldfastError('cwd_not_permitted', CWD_NOT_PERMITTED);
  }
}

function holdsCwd(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsCwd);
  return (
    isJsonObject(value) && Object.entries(value).some(([name, inner]) => name === 'cwd' || holdsCwd(inner))
  );
}
