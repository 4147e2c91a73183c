import { createHash, createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { calculateJwkThumbprint, CompactSign } from 'jose';
import { DECISION_TYPE, type DecisionSigner } from '../../src/contract/signed-decision.js';
import { signDecision } from '../../src/signing/sign-decision.js';
import type { TrustedKey } from '../../src/signing/trusted-keys.js';

/** A key of the tests, the same in every process: made from its name. */
export interface TestKey {
  readonly signer: DecisionSigner;
  /** Signs what may be no decision at all. */
  signText(text: string): Promise<string>;
  readonly trusted: TrustedKey;
  /** The private JWK. */
  readonly secret: JsonWebKey;
}

/** PKCS #8 of an Ed25519 private key, before its 32 bytes (RFC 8410). */
const PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key of that name: of an approver when `holder` is given, else one that attests for any. */
export async function testKey(name: string, holder?: string): Promise<TestKey> {
  const seed = createHash('sha256').update(name).digest();
  const key = createPrivateKey({ key: Buffer.concat([PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const keyId = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x });
  return {
    secret: key.export({ format: 'jwk' }),
    signer: { sign: (decision) => signDecision(decision, keyId, key) },
    signText: (text) =>
      new CompactSign(Buffer.from(text))
        .setProtectedHeader({ alg: 'EdDSA', kid: keyId, typ: DECISION_TYPE })
        .sign(key),
    trusted: {
      keyId,
      publicKey: x,
      ...(holder === undefined ? { kind: 'attested' as const } : { kind: 'held' as const, holder }),
    },
  };
}

/** Signs what the tests' clients decide, and counts at the tests' workers. */
export const SERVER_KEY = await testKey('server');

/** What the tests' workers trust. */
export const trustedKeys = (): Promise<readonly TrustedKey[]> => Promise.resolve([SERVER_KEY.trusted]);
