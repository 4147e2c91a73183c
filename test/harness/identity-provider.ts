import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';
import type { IdentityProvider } from '../../src/api/identity-provider.js';

/** A key pair of a provider; `kid` names it in its set. */
export interface ProviderKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

export async function providerKey(kid: string, alg: 'RS256' | 'ES256' = 'RS256'): Promise<ProviderKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** An identity provider on this machine: a real HTTP server with its set of keys. */
export interface TestProvider {
  readonly provider: IdentityProvider;
  /** How often the set was asked for. */
  readonly asked: () => number;
  /** What it answers from now on. */
  answer(status: number, jwks?: object): void;
}

const ISSUER = 'https://login.example/';
const AUDIENCE = 'holdfast';

/** Changes of a token; undefined leaves a claim out. */
export type Claims = Readonly<Record<string, unknown>>;

/** What a good token of Ann the approver says at a time, milliseconds since the epoch. */
export function claimsOf(nowMs: number, changes: Claims = {}): JWTPayload {
  const now = Math.floor(nowMs / 1000);
  const who = { sub: 'u-1', email: 'ann@example.com', email_verified: true, groups: ['staff', 'approvers'] };
  const claims = { iss: ISSUER, aud: AUDIENCE, iat: now, exp: now + 300, ...who, ...changes };
  return JSON.parse(JSON.stringify(claims)) as JWTPayload;
}

export function sign(claims: JWTPayload, { kid, alg, privateKey }: ProviderKey): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'JWT' }).sign(privateKey);
}

/** Runs the body with a provider that has these keys, closed afterwards. */
export async function withProvider(
  keys: readonly ProviderKey[],
  body: (provider: TestProvider) => Promise<void>,
  changes: Partial<IdentityProvider> = {},
): Promise<void> {
  let asked = 0;
  let now: { status: number; jwks: object } = { status: 200, jwks: { keys: keys.map(({ jwk }) => jwk) } };
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(now.status, { 'content-type': 'application/json', location: '/elsewhere' });
    response.end(JSON.stringify(now.jwks));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  try {
    await body({
      provider: {
        issuer: ISSUER,
        audience: AUDIENCE,
        keys: { url: new URL(`http://127.0.0.1:${port}/jwks.json`) },
        algorithms: ['RS256'],
        nameClaim: 'email',
        rolesClaim: 'groups',
        roles: { approver: ['approvers'], operator: ['operators'] },
        clockToleranceSeconds: 5,
        ...changes,
      },
      asked: () => asked,
      answer: (status, jwks = now.jwks) => {
        now = { status, jwks };
      },
    });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
