import { createHash, randomBytes } from 'node:crypto';

/** What a token may be used for (`api:auth`). One token may have several. */
export const ROLES = ['operator', 'approver', 'auditor'] as const;
export type Role = (typeof ROLES)[number];

/** A token as the file keeps it: everything but the token. */
export interface TokenRecord {
  /** Whose it is: the approver of what it decides, and the `by` of what it asks of a run. */
  readonly name: string;
  readonly roles: readonly Role[];
  /** SHA-256 of the token, lower-case hexadecimal. */
  readonly hash: string;
  /** ISO 8601, as all times here. */
  readonly createdAt: string;
  /** From then on it is no longer taken. Absent: never. */
  readonly expiresAt?: string;
  /** Since then it is no longer taken. */
  readonly revokedAt?: string;
}

/** What a name may be: it stands in histories and logs. */
export const NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$';

/** A new token: 256 random bits, behind a prefix by which leaked ones are found. */
export function newToken(): string {
  return `holdfast_${randomBytes(32).toString('base64url')}`;
}

/**
 * How a token is kept. A slow hash is for what people choose: it makes guessing dear. 256 random bits cannot be
 * guessed at any price, and a fast hash costs an attacker who sends nonsense more than it costs us.
 */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** Why a token is not taken at a time, in milliseconds since the epoch; undefined when it is. */
export function endOf(
  { expiresAt, revokedAt }: Pick<TokenRecord, 'expiresAt' | 'revokedAt'>,
  now: number,
): 'revoked' | 'expired' | undefined {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= now ? 'expired' : undefined;
}
