import { HoldfastError } from '../contract/error-codes.js';
import { changeTokens } from './token-file.js';
import { endOf, NAME_PATTERN, newToken, tokenHash, type Role } from './token-record.js';

export interface TokenWish {
  readonly name: string;
  readonly roles: readonly Role[];
  /** How long it is taken, milliseconds. Default: until it is revoked. */
  readonly expiresInMs?: number | undefined;
}

/**
 * Makes a token and gives it: it is kept nowhere. One name has one valid token, so that a name in a history is one
 * person's; after a revocation or expiry the name may have another. Throws HoldfastError `invalid_config`.
 */
export async function issueToken(stateDir: string, { name, roles, expiresInMs }: TokenWish): Promise<string> {
  if (!new RegExp(NAME_PATTERN).test(name)) {
    throw new HoldfastError('invalid_config', `The name of a token matches ${NAME_PATTERN}.`);
  }
  const token = newToken();
  const now = Date.now();
  await changeTokens(stateDir, (tokens) => {
    if (tokens.some((record) => record.name === name && !endOf(record, now))) {
      const text = 'A valid token has this name. Revoke that one first, or choose another name.';
      throw new HoldfastError('invalid_config', text);
    }
    return [
      ...tokens,
      {
        name,
        roles: [...new Set(roles)],
        hash: tokenHash(token).toString('hex'),
        createdAt: new Date(now).toISOString(),
        ...(expiresInMs !== undefined && { expiresAt: new Date(now + expiresInMs).toISOString() }),
      },
    ];
  });
  return token;
}

/** Revokes the valid token of this name, at once and for good. Throws HoldfastError `invalid_config` when there is none. */
export async function revokeToken(stateDir: string, name: string): Promise<void> {
  const now = Date.now();
  await changeTokens(stateDir, (tokens) => {
    const found = tokens.find((record) => record.name === name && !endOf(record, now));
    if (!found) {
      const text = 'No valid token has this name. `holdfast token list` shows all.';
      throw new HoldfastError('invalid_config', text);
    }
    const revokedAt = new Date(now).toISOString();
    return tokens.map((record) => (record === found ? { ...record, revokedAt } : record));
  });
}
