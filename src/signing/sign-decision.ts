import { CompactSign, type CryptoKey, type JWK, type KeyObject } from 'jose';
import type { Decision } from '../contract/decision.js';
import { canonicalJson } from '../digest.js';
import { DECISION_TYPE } from '../contract/signed-decision.js';

/**
 * The compact JWS of a decision. The same key over the same decision gives the same text (RFC 8032, RFC 8785), in whatever
 * order its members stand: sent again, it is the same decision (`hitl:stale`).
 */
export function signDecision(
  decision: Decision,
  keyId: string,
  key: CryptoKey | KeyObject | JWK,
): Promise<string> {
  return new CompactSign(new TextEncoder().encode(canonicalJson({ ...decision })))
    .setProtectedHeader({ alg: 'EdDSA', kid: keyId, typ: DECISION_TYPE })
    .sign(key);
}
