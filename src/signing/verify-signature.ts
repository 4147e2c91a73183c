import { compactVerify, decodeProtectedHeader } from 'jose';
import { DECISION_TYPE, type VerifiedSignature } from '../contract/signed-decision.js';
import type { Refusal } from '../policy/decision-admission.js';
import type { TrustedKey } from './trusted-keys.js';

export type SignatureVerdict =
  { readonly signature: VerifiedSignature; readonly holder?: string; readonly text: string } | Refusal;

const INVALID: Refusal = {
  code: 'signature_invalid',
  text: 'The signature is none over this decision. Sign it anew, as it is, with EdDSA.',
};
const UNKNOWN: Refusal = {
  code: 'key_unknown',
  text: 'No worker of this agent trusts the key that signed. Have its public key added: `holdfast keys trust`.',
};
const REVOKED: Refusal = {
  code: 'key_revoked',
  text: 'The key that signed was revoked. Sign with one that counts; a server gets one by `holdfast keys rotate`.',
};

/**
 * Verifies a compact JWS against the keys at hand: the algorithm, the type, the key and every byte
 * (`hitl:signed`). `arrivedAt` is the server's time, in ms: what the signer says of time counts for nothing. Gives
 * the signed text, which is not parsed yet. Never throws for what a sender can cause.
 */
export async function verifySignature(
  jws: string,
  keys: readonly TrustedKey[],
  arrivedAt: number,
): Promise<SignatureVerdict> {
  const keyId = keyIdIn(jws);
  if (keyId === undefined) return INVALID;
  const key = keys.find((trusted) => trusted.keyId === keyId);
  if (!key) return UNKNOWN;
  const text = await signedText(jws, key);
  if (text === undefined) return INVALID;
  // Only who holds the key learns that it was revoked.
  if (key.revokedAt !== undefined && key.revokedAt <= arrivedAt) return REVOKED;
  const { kind, publicKey, holder } = key;
  return { signature: { kind, keyId, publicKey }, text, ...(holder !== undefined && { holder }) };
}

function keyIdIn(jws: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(jws);
    return kid;
  } catch {
    return undefined;
  }
}

async function signedText(jws: string, { publicKey }: TrustedKey): Promise<string | undefined> {
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey };
    const { payload, protectedHeader } = await compactVerify(jws, jwk, { algorithms: ['EdDSA'] });
    if (protectedHeader.typ !== DECISION_TYPE || !isCanonical(jws)) return undefined;
    // Such as b64 false (RFC 7797): whoever reads the history would find another decision in it, or none.
    if (protectedHeader.crit !== undefined) return undefined;
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload);
  } catch {
    return undefined;
  }
}

/** The last character of base64url has bits that decode to nothing: one signature is written in one way only. */
function isCanonical(jws: string): boolean {
  const signature = jws.slice(jws.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}
