import { createServer } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { describe, expect, inject, it } from 'vitest';
import { readIdentityProvider, type IdentityProvider } from '../../src/api/identity-provider.js';
import { JwtAuthority } from '../../src/api/jwt-authority.js';
import { HoldfastClient } from '../../src/client.js';
import { markers } from '../harness/history.js';
import { withAgent } from '../harness/agent.js';
import { SERVER_KEY } from '../harness/keys.js';
import { effectTool } from '../harness/tools.js';
import { withApi, type TestApi } from './harness.js';

const ISSUER = 'https://login.example';
const AUDIENCE = 'holdfast';

interface Provided {
  readonly provider: IdentityProvider;
  readonly key: CryptoKey;
  /** The public key, as the provider gives it. */
  readonly jwk: JWK;
  /** A good token for an approver, with other claims if given, and signed otherwise if asked. */
  readonly token: (
    claims?: object,
    signing?: { alg?: string; kid?: string; key?: CryptoKey | Uint8Array },
  ) => Promise<string>;
  /** Its keys are no longer to be had. */
  readonly vanish: () => Promise<void>;
}

/** A real server with the keys of a provider; its tokens are signed here. */
async function withProvider(body: (provided: Provided) => Promise<void>): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const vanish = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const now = Math.floor(Date.now() / 1000);
  const good = { iss: ISSUER, aud: AUDIENCE, sub: 'ada', groups: ['oncall'], exp: now + 600 };
  try {
    await body({
      provider: {
        issuer: ISSUER,
        audience: AUDIENCE,
        jwksUrl: `http://127.0.0.1:${String(port)}/jwks`,
        rolesClaim: 'groups',
        roles: { approver: ['oncall'], auditor: ['audit'] },
      },
      key: privateKey,
      jwk,
      token: (claims = {}, { alg = 'ES256', kid = 'k1', key = privateKey } = {}) =>
        new SignJWT({ ...good, ...claims }).setProtectedHeader({ alg, kid }).sign(key),
      vanish,
    });
  } finally {
    await vanish();
  }
}

/** The API with this provider beside the tokens of its state directory. */
async function withProvidedApi(
  { provider }: Provided,
  client: HoldfastClient,
  body: (api: TestApi) => Promise<void>,
): Promise<void> {
  const nobody = { authenticate: async () => ({ refused: 'unknown' as const }) };
  await withApi(client, body, { tokens: new JwtAuthority(provider, nobody) });
}

const bearer = (token: string) => ({ as: null, headers: { authorization: `Bearer ${token}` } });
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function withClient(body: (client: HoldfastClient) => Promise<void>): Promise<void> {
  const client = await HoldfastClient.connect({
    connection: { address: inject('temporalAddress') },
    signer: SERVER_KEY.signer,
  });
  try {
    await body(client);
  } finally {
    await client.close();
  }
}

describe('a JWT of the identity provider', () => {
  it('lets its approver decide a waiting run; the history names that approver [api:auth] [hitl:signed]', async () => {
    const options = {
      customTools: [effectTool('effect', 'mutation')],
      script: [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, { text: 'done' }],
    };
    await withProvider(async (provided) => {
      await withAgent(options, async (agent) => {
        await withProvidedApi(provided, agent.client, async ({ ask }) => {
          const runId = await agent.start();
          const { requestKey, tool, argsDigest, schemaDigest } = await agent.request(runId);
          const decided = await ask(
            'POST',
            `/runs/${runId}/approvals/${encodeURIComponent(requestKey)}/decision`,
            { decision: 'approve', tool, argsDigest, schemaDigest },
            bearer(await provided.token()),
          );
          expect([decided.status, decided.text]).toEqual([200, expect.stringContaining('true')]);
          expect(await agent.client.result(runId)).toMatchObject({ status: 'done', calls: 1 });
          const [judged] = markers(await agent.history(runId), 'validateApproval');
          expect(judged?.result).toMatchObject({
            accepted: true,
            decision: { approver: 'ada' },
            signature: { kind: 'attested' },
          });
        });
      });
    });
  });

  it('counts for what its roles say: another role is 403, none is 403 [api:auth]', async () => {
    await withClient((client) =>
      withProvider((provided) =>
        withProvidedApi(provided, client, async ({ ask }) => {
          const status = async (claims: object, ...[method, path]: ['GET' | 'POST', string]) =>
            (
              await ask(
                method,
                path,
                method === 'POST' ? {} : undefined,
                bearer(await provided.token(claims)),
              )
            ).status;
          expect(await status({ groups: 'audit' }, 'GET', '/runs')).toBe(200);
          expect(await status({ groups: ['audit'] }, 'POST', '/runs')).toBe(403);
          expect(await status({}, 'POST', '/runs')).toBe(403);
          expect(await status({ groups: ['others'] }, 'GET', '/runs')).toBe(403);
          expect(await status({ groups: undefined }, 'GET', '/runs')).toBe(403);
        }),
      ),
    );
  });

  it('that is wrong in any way is refused, and none is logged [api:auth] [events:no-args]', async () => {
    await withClient((client) =>
      withProvider(async (provided) => {
        const { token, jwk } = provided;
        const past = Math.floor(Date.now() / 1000) - 60;
        const other = (await generateKeyPair('ES256')).privateKey;
        const good = await token();
        const [header = '', body = '', signature = ''] = good.split('.');
        const wrong: Readonly<Record<string, string>> = {
          expired: await token({ exp: past }),
          'without an end': await token({ exp: undefined }),
          'not yet valid': await token({ nbf: past + 3600 }),
          'of another issuer': await token({ iss: `${ISSUER}/` }),
          'for another service': await token({ aud: 'another' }),
          'for nobody': await token({ sub: undefined }),
          'for a name that is none': await token({ sub: 'ada\u202e' }),
          'for a list of names': await token({ sub: ['ada'] }),
          'of another key': await token({}, { key: other }),
          'of an unknown key': await token({}, { kid: 'k2' }),
          'with the public key as a secret': await token(
            {},
            { alg: 'HS256', key: Buffer.from(JSON.stringify(jwk)) },
          ),
          'without a signature': `${part({ alg: 'none' })}.${body}.`,
          'with an empty algorithm': `${part({ alg: 'none', kid: 'k1' })}.${body}.${signature}`,
          'with other claims': `${header}.${part({ iss: ISSUER, aud: AUDIENCE, sub: 'eve', groups: ['oncall'], exp: past + 900 })}.${signature}`,
          'with a word that it holds critical': `${part({ alg: 'ES256', kid: 'k1', crit: ['x'], x: 1 })}.${body}.${signature}`,
          'that is very long': `${header}.${'A'.repeat(9000)}.${signature}`,
        };
        await withProvidedApi(provided, client, async ({ ask, log }) => {
          for (const [what, bad] of Object.entries(wrong)) {
            const { status, text } = await ask('GET', '/runs', undefined, bearer(bad));
            expect([what, status]).toEqual([what, 401]);
            expect(text).not.toContain(bad.slice(0, 20));
          }
          expect((await ask('GET', '/runs', undefined, bearer(good))).status).toBe(200);
          const lines = JSON.stringify(log);
          for (const bad of [...Object.values(wrong), good]) expect(lines).not.toContain(bad.slice(0, 20));
          expect(log[0]).toMatchObject({ refused: 'expired' });
        });
      }),
    );
  });

  it('counts for nothing while the keys of its provider cannot be fetched [api:auth]', async () => {
    await withClient((client) =>
      withProvider(async (provided) => {
        await withProvidedApi(provided, client, async ({ ask, log }) => {
          await provided.vanish();
          expect((await ask('GET', '/runs', undefined, bearer(await provided.token()))).status).toBe(401);
          expect(log.at(-1)).toMatchObject({ refused: 'unverifiable' });
        });
      }),
    );
  });
});

describe('the file of the identity provider', () => {
  const good = {
    issuer: ISSUER,
    audience: AUDIENCE,
    jwksUrl: 'https://login.example/jwks',
    roles: { approver: ['a'] },
  };

  it.each<[string, string]>([
    ['that is no JSON', '{'],
    ['without an audience', JSON.stringify({ ...good, audience: undefined })],
    ['without roles', JSON.stringify({ ...good, roles: {} })],
    ['with a role that is none', JSON.stringify({ ...good, roles: { admin: ['a'] } })],
    ['with a misspelt member', JSON.stringify({ ...good, roleClaim: 'groups' })],
    ['whose keys travel unprotected', JSON.stringify({ ...good, jwksUrl: 'http://login.example/jwks' })],
    ['whose keys are no URL', JSON.stringify({ ...good, jwksUrl: 'keys.json' })],
  ])('%s is refused before anything is served [api:auth]', async (_what, contents) => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
    const path = join(directory, 'provider.json');
    await writeFile(path, contents);
    await expect(readIdentityProvider(path)).rejects.toMatchObject({ code: 'invalid_config' });
    await writeFile(path, JSON.stringify(good));
    expect(await readIdentityProvider(path)).toEqual(good);
    await rm(directory, { recursive: true });
  });
});
