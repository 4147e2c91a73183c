import { LIMITS } from '../contract/limits.js';

/** RFC 6750. */
const BEARER = new RegExp(`^bearer +([A-Za-z0-9._~+/-]{1,${LIMITS.tokenCharacters}}=*) *$`, 'i');

/** The token of an `authorization` header, not yet believed, or why there is none. */
export function bearerToken(
  authorization: string | undefined,
): { readonly token: string } | { readonly refused: 'missing' | 'malformed' } {
  if (authorization === undefined) return { refused: 'missing' };
  const token = BEARER.exec(authorization)?.[1];
  return token === undefined ? { refused: 'malformed' } : { token };
}
