import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HoldfastError } from '../contract/error-codes.js';
import { isOpenToOthers, replacePrivately, whileLocked } from '../private-file.js';
import { compileSchema } from '../registry/schema-validator.js';
import { NAME_PATTERN, ROLES, type TokenRecord } from './token-record.js';

const FILE = 'tokens.json';

interface TokenFile {
  readonly version: 1;
  readonly tokens: readonly TokenRecord[];
}

const check = compileSchema({
  type: 'object',
  required: ['version', 'tokens'],
  properties: {
    version: { const: 1 },
    tokens: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'roles', 'hash', 'createdAt'],
        properties: {
          name: { type: 'string', pattern: NAME_PATTERN },
          roles: { type: 'array', minItems: 1, items: { enum: [...ROLES] } },
          hash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
          createdAt: { type: 'string', format: 'date-time' },
          expiresAt: { type: 'string', format: 'date-time' },
          revokedAt: { type: 'string', format: 'date-time' },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
});

/** Names a state of the file: another one whenever it, or who may read it, was changed. `none` when there is no file. */
export async function tokenFileState(stateDir: string): Promise<string> {
  const found = await stat(join(stateDir, FILE), { bigint: true }).catch(absent);
  return found ? `${found.ino}:${found.ctimeNs}:${found.size}` : 'none';
}

/**
 * The tokens of a state directory; none when there is no file. Throws HoldfastError `invalid_config` for a file that
 * others than its owner may read or write, or that is not as it was written: no token counts then.
 */
export async function readTokens(stateDir: string): Promise<readonly TokenRecord[]> {
  const path = join(stateDir, FILE);
  const open = await isOpenToOthers(path).catch(absent);
  if (open === undefined) return [];
  if (open) {
    throw invalid(
      'is open to others than its owner; make it mode 0600, and make new tokens if they may have changed it',
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw invalid('cannot be read as JSON; restore it, or remove it and make new tokens', cause);
  }
  const fault = check(value);
  if (fault !== undefined)
    throw invalid(`is not as it was written (${fault.text.replace(/\.$/, '')}); restore it`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has just said so
  return (value as TokenFile).tokens;
}

/** Changes the tokens, one process after the other. What `change` throws leaves the file as it was. */
export async function changeTokens(
  stateDir: string,
  change: (tokens: readonly TokenRecord[]) => readonly TokenRecord[],
): Promise<void> {
  const path = join(stateDir, FILE);
  await whileLocked(path, async () => {
    const file: TokenFile = { version: 1, tokens: change(await readTokens(stateDir)) };
    await replacePrivately(path, `${JSON.stringify(file, undefined, 2)}\n`);
  });
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

function invalid(what: string, cause?: unknown): HoldfastError {
  return new HoldfastError('invalid_config', `${FILE} in the state directory ${what}.`, { cause });
}
