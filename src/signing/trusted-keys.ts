import type { SignatureKind } from '../contract/signed-decision.js';

/** A public key whose signatures count. */
export interface TrustedKey {
  /** RFC 7638 thumbprint. */
  readonly keyId: string;
  /** `x` of the Ed25519 public key (RFC 8037), base64url. */
  readonly publicKey: string;
  readonly kind: SignatureKind;
  /** The approver to whom a held key belongs: it decides in no other name. Absent for an attesting key. */
  readonly holder?: string;
  /** Milliseconds since the epoch. What is accepted from then on is refused; what was accepted before stays. */
  readonly revokedAt?: number;
}

/**
 * The keys that a worker trusts, asked anew for each decision, so that a key is added or revoked without a
 * restart. Rejects when they cannot be read: then nothing is decided.
 */
export type TrustedKeys = () => Promise<readonly TrustedKey[]>;

/** Of a worker that was given none. */
export const NO_KEYS: TrustedKeys = () => Promise.resolve([]);
