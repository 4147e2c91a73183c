import type { Decision } from './decision.js';

/**
 * How a decision travels: a compact JWS (RFC 7515) with EdDSA over the JSON of a `Decision`. Nothing outside the
 * signature counts (`hitl:signed`).
 */
export interface SignedDecision {
  readonly jws: string;
}

/** The `typ` of the protected header: a signature over anything else is none over a decision. */
export const DECISION_TYPE = 'holdfast-decision+json';

/**
 * `held`: by the approver's own key. `attested`: by a server's key, for an approver whom that server knows. Shown
 * apart, since the second proves only what the server says (`hitl:signed`).
 */
export type SignatureKind = 'held' | 'attested';

/** Whose signature a verdict found, with all that is needed to verify it again without the worker's files. */
export interface VerifiedSignature {
  readonly kind: SignatureKind;
  /** RFC 7638 thumbprint of the key. */
  readonly keyId: string;
  /** `x` of the Ed25519 public key (RFC 8037), base64url. */
  readonly publicKey: string;
}

/** Signs what a person decided, as a `KeyDirectory` does; a key elsewhere, such as in an HSM, may do the same. */
export interface DecisionSigner {
  /** The compact JWS of the decision. */
  sign(decision: Decision): Promise<string>;
}
