import { createSecretKey } from 'node:crypto';
import { exportSPKI, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { issueToken, revokeToken } from '../../src/api/issue-token.js';
import { LIMITS } from '../../src/contract/limits.js';
import { claimsOf, sign, type Claims } from '../harness/identity-provider.js';
import { withBareApi } from './harness.js';
import {
  atJwtDoor,
  elliptic,
  getWith,
  jwtOf,
  key,
  NOW,
  other,
  said,
  SECOND,
  seconds,
  UNAUTHENTICATED,
} from './jwt-door.js';

/** One character of the payload, whose signature then is none. */
function altered(token: string): string {
  const at = token.indexOf('.') + 10;
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
}

function withHeader(token: string, header: object): string {
  return token.replace(/^[^.]*/, Buffer.from(JSON.stringify(header)).toString('base64url'));
}

async function signedBy(algorithm: string, secret: string): Promise<string> {
  const header = { alg: algorithm, kid: key.kid };
  return new SignJWT(claimsOf(NOW)).setProtectedHeader(header).sign(createSecretKey(Buffer.from(secret)));
}

describe('a JWT of the identity provider', () => {
  it('lets in whom it names, with the roles that its groups give and no others [api:auth]', async () => {
    await atJwtDoor(async ({ get, ask, log }) => {
      const token = await jwtOf();
      expect((await get(token)).status).toBe(200);
      expect(log.at(-1)).toMatchObject({ token: 'ann@example.com', status: 200 });
      const headers = { authorization: `Bearer ${token}` };
      expect(said(await ask('POST', '/runs', {}, { as: null, headers }))).toEqual([403, 'role_lacking']);
      expect((await ask('GET', '/runs', undefined, { as: 'auditor' })).status).toBe(200);
    });
  });

  it.each<[string, () => Promise<string>, string]>([
    ['of another issuer', () => jwtOf({ iss: 'https://login.example' }), 'wrong_issuer'],
    ['without an issuer', () => jwtOf({ iss: undefined }), 'wrong_issuer'],
    ['for another audience', () => jwtOf({ aud: ['another', 'holdfast2'] }), 'wrong_audience'],
    ['without an audience', () => jwtOf({ aud: undefined }), 'wrong_audience'],
    ['that has expired', () => jwtOf({ exp: seconds(-6) }), 'expired'],
    ['without an expiry', () => jwtOf({ exp: undefined }), 'bad_claim'],
    ['with a text for its expiry', () => jwtOf({ exp: '9999999999' }), 'bad_claim'],
    ['that is not yet valid', () => jwtOf({ nbf: seconds(30) }), 'not_yet_valid'],
    ['with an altered payload', async () => altered(await jwtOf()), 'bad_signature'],
    ['without a signature', async () => (await jwtOf()).replace(/[^.]*$/, ''), 'bad_signature'],
    [
      'signed by another key of the same name',
      () => sign(claimsOf(NOW), { ...other, kid: 'one' }),
      'bad_signature',
    ],
    ['of an unknown key', () => sign(claimsOf(NOW), other), 'unknown_key'],
    [
      'of a key for another algorithm than is allowed',
      () => sign(claimsOf(NOW), elliptic),
      'algorithm_not_allowed',
    ],
    [
      'with the algorithm none',
      async () => new UnsecuredJWT(claimsOf(NOW)).encode(),
      'algorithm_not_allowed',
    ],
    [
      'signed with the public key as a secret',
      async () => signedBy('HS256', await exportSPKI(key.publicKey)),
      'algorithm_not_allowed',
    ],
    [
      'that brings its own key',
      () =>
        new SignJWT(claimsOf(NOW))
          .setProtectedHeader({
            alg: 'RS256',
            kid: 'one',
            jwk: other.jwk,
            jku: 'http://127.0.0.1:1/',
          })
          .sign(other.privateKey),
      'bad_signature',
    ],
    [
      'with a critical extension',
      async () => withHeader(await jwtOf(), { alg: 'RS256', kid: 'one', crit: ['x'], x: 1 }),
      'malformed',
    ],
    ['that is three parts of nothing', async () => 'a.b.c', 'malformed'],
    ['that is empty between its dots', async () => '..', 'malformed'],
    ['without a name', () => jwtOf({ email: undefined }), 'bad_name'],
    ['with a name that is no name', () => jwtOf({ email: 'Ann <ann@example.com>' }), 'bad_name'],
    ['with several names', () => jwtOf({ email: ['ann@example.com'] }), 'bad_name'],
    ['with a mail address that nobody verified', () => jwtOf({ email_verified: false }), 'bad_name'],
    ['with the name of a token', () => jwtOf({ email: 'operator' }), 'name_taken'],
  ])(
    '%s is refused, and its log says why and never the token [api:auth] [events:no-args]',
    async (_, make, refused) => {
      await atJwtDoor(async ({ get, log }) => {
        const token = await make();
        const answered = await get(token);
        expect([...said(answered), answered.headers['www-authenticate']]).toEqual([
          ...UNAUTHENTICATED,
          'Bearer realm="holdfast"',
        ]);
        expect(answered.headers['content-type']).toBe('application/problem+json');
        expect(log.at(-1)).toMatchObject({ refused, code: 'unauthenticated', status: 401 });
        for (const part of token.split('.').filter((text) => text.length > 8)) {
          expect(JSON.stringify(log) + answered.text).not.toContain(part);
        }
      });
    },
  );

  it.each<[string, Claims]>([
    ['no group', { groups: undefined }],
    ['groups that give none', { groups: ['staff', 'approvers2'] }],
    ['a text in which one would stand', { groups: 'staff approvers' }],
    ['no list', { groups: { approvers: true } }],
  ])('of somebody with %s may do nothing at any address [api:auth]', async (_, changes) => {
    await atJwtDoor(async ({ get }) => {
      const token = await jwtOf(changes);
      for (const path of ['/runs', '/approvals', '/openapi.json', '/nowhere']) {
        expect(said(await get(token, path))).toEqual([403, 'role_lacking']);
      }
    });
  });

  it('counts within the tolerance of clocks, and no longer [api:auth]', async () => {
    await atJwtDoor(async ({ get, clock }) => {
      const token = await jwtOf({ nbf: seconds(4) });
      expect((await get(token)).status).toBe(200);
      clock.now = NOW + 304 * SECOND;
      expect((await get(token)).status).toBe(200);
      clock.now = NOW + 306 * SECOND;
      expect(said(await get(token))).toEqual(UNAUTHENTICATED);
    });
  });

  it('gives roles by the words of its scope when the provider says so [api:auth]', async () => {
    await atJwtDoor(
      async ({ get }) => {
        expect((await get(await jwtOf({ scope: 'openid approvers' }))).status).toBe(200);
        expect((await get(await jwtOf({ scope: 'openid approvers2' }))).status).toBe(403);
      },
      { rolesClaim: 'scope' },
    );
  });

  it('may bear the name of a token once that is revoked [api:auth]', async () => {
    await atJwtDoor(async ({ get, stateDir }) => {
      await issueToken(stateDir, { name: 'ann@example.com', roles: ['operator'] });
      const token = await jwtOf();
      expect(said(await get(token))).toEqual(UNAUTHENTICATED);
      await revokeToken(stateDir, 'ann@example.com');
      expect((await get(token)).status).toBe(200);
    });
  });

  it('is nothing to a server without an identity provider [api:auth]', async () => {
    await withBareApi(async (api) => {
      expect(said(await getWith(api, await jwtOf()))).toEqual(UNAUTHENTICATED);
      expect(api.log.at(-1)).toMatchObject({ refused: 'unknown' });
    });
  });

  it('is limited by its name, also where it has no role [api:auth]', async () => {
    await atJwtDoor(async ({ get }) => {
      const token = await jwtOf({ groups: [] });
      for (let i = 0; i < LIMITS.requestsPerMinute; i += 1) expect((await get(token)).status).toBe(403);
      const refused = await get(token);
      expect([...said(refused), refused.headers['retry-after']]).toEqual([429, 'rate_limited', '60']);
    });
  });
});
