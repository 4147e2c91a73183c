import { CompactSign, type CryptoKey, type JWK, type KeyObject } from 'jose';
import type { Decision } from '../contract/decision.js';
import { isJsonObject } from '../contract/json.js';
import { DECISION_TYPE } from '../contract/signed-decision.js';

/**
 * The compact JWS of a decision. The same key over the same decision gives the same text (RFC 8032), in whatever order
 * its members stand: sent again, it is the same decision (`hitl:stale`). Signs what has no canonical JSON too, such as
 * half of a surrogate pair: whoever judges the decision refuses that.
 */
export function signDecision(
  decision: Decision,
  keyId: string,
  key: CryptoKey | KeyObject | JWK,
): Promise<string> {
  return new CompactSign(new TextEncoder().encode(JSON.stringify(decision, inOrder)))
    .setProtectedHeader({ alg: 'EdDSA', kid: keyId, typ: DECISION_TYPE })
    .sign(key);
}

function inOrder(_name: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
