import { timingSafeEqual } from 'node:crypto';
import { tokenHash, type TokenRecord } from './token-record.js';

/** A record with its hash as bytes, 32 of them as all have. */
export type KeptToken = TokenRecord & { readonly bytes: Buffer };

/**
 * The record of a token, the one place that compares tokens (`api:auth`). Hashes of equal length are compared in
 * constant time, and all of them, whichever fits: the time tells nothing of the tokens.
 */
export function matchToken(
  token: string,
  kept: readonly KeptToken[],
  equal: typeof timingSafeEqual = timingSafeEqual,
): TokenRecord | undefined {
  const hash = tokenHash(token);
  let found: TokenRecord | undefined;
  for (const record of kept) if (equal(record.bytes, hash)) found = record;
  return found;
}
