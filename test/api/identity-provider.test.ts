import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readIdentityProvider } from '../../src/api/identity-provider.js';
import { key } from './jwt-door.js';

const JWKS_URL = 'https://login.example/canary/jwks.json';
const provider = {
  issuer: 'https://login.example/',
  audience: 'holdfast',
  jwksUrl: JWKS_URL,
  algorithms: ['RS256'],
  nameClaim: 'email',
  rolesClaim: 'groups',
  roles: { approver: ['approvers'] },
};
const { jwksUrl: _, ...withoutKeys } = provider;

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'holdfast-provider-'));
});
afterEach(() => rm(home, { recursive: true }));

async function write(value: unknown, name = 'provider.json'): Promise<string> {
  const file = join(home, name);
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o644 });
  return file;
}

const read = async (value: unknown) => readIdentityProvider(await write(value));
const leaving = (name: string) =>
  Object.fromEntries(Object.entries(provider).filter(([key]) => key !== name));

describe('the file of an identity provider', () => {
  it('says whose tokens count, with clocks that may differ by five seconds [api:auth]', async () => {
    expect(await read(provider)).toEqual({
      ...withoutKeys,
      keys: { url: new URL(JWKS_URL) },
      clockToleranceSeconds: 5,
    });
  });

  it('may be as README shows it [api:auth]', async () => {
    const [, shown = ''] = /```json\n([^]*?)```/.exec(readFileSync('README.md', 'utf8')) ?? [];
    expect(await read(shown)).toMatchObject({ audience: 'holdfast', nameClaim: 'email' });
  });

  it('may name a file with the keys, beside it [api:auth]', async () => {
    const jwks = { keys: [key.jwk] };
    await write(jwks, 'jwks.json');
    expect((await read({ ...withoutKeys, jwksFile: 'jwks.json' })).keys).toEqual({ jwks });
  });

  it.each(['http://127.0.0.1:8080/jwks', 'http://[::1]/jwks', 'http://localhost/jwks'])(
    'may fetch keys without encryption from this machine: %s [api:auth]',
    async (jwksUrl) => {
      expect((await read({ ...provider, jwksUrl })).keys).toEqual({ url: new URL(jwksUrl) });
    },
  );

  it.each<[string, unknown, string]>([
    ['no object', [provider], 'object'],
    ...Object.keys(withoutKeys).map((name): [string, unknown, string] => [`no ${name}`, leaving(name), name]),
    ['an empty issuer', { ...provider, issuer: '' }, 'issuer'],
    ['an empty audience', { ...provider, audience: '' }, 'audience'],
    ['an unknown member', { ...provider, also: 'canary' }, 'also'],
    ['no algorithm', { ...provider, algorithms: [] }, 'algorithms'],
    ['a symmetric algorithm', { ...provider, algorithms: ['RS256', 'HS256'] }, 'algorithms'],
    ['the algorithm none', { ...provider, algorithms: ['none'] }, 'algorithms'],
    ['no role', { ...provider, roles: {} }, 'roles'],
    ['a role without values', { ...provider, roles: { approver: [] } }, 'roles'],
    ['an unknown role', { ...provider, roles: { admin: ['admins'] } }, 'roles'],
    [
      'a tolerance of more than a minute',
      { ...provider, clockToleranceSeconds: 61 },
      'clockToleranceSeconds',
    ],
    ['no keys', withoutKeys, 'jwksUrl or jwksFile'],
    ['keys in two places', { ...provider, jwksFile: 'jwks.json' }, 'jwksUrl or jwksFile'],
    ['keys without encryption', { ...provider, jwksUrl: 'http://login.example/canary' }, 'https URL'],
    [
      'keys at a host that looks like this machine',
      { ...provider, jwksUrl: 'http://127.0.0.1.canary.example/' },
      'https URL',
    ],
    ['keys at no URL', { ...provider, jwksUrl: 'canary' }, 'https URL'],
    [
      'keys behind credentials',
      { ...provider, jwksUrl: 'https://canary:canary@login.example/' },
      'credentials',
    ],
    ['keys in no file', { ...withoutKeys, jwksFile: 'canary.json' }, 'JWKS file cannot be read'],
    ['no JSON', '{"canary":', 'is no JSON'],
  ])('is refused with %s, without a word of what it holds [api:auth]', async (_what, value, says) => {
    const refusal: unknown = await read(value).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'invalid_config', message: expect.stringContaining(says) });
    expect(String(refusal)).not.toContain('canary');
    expect(String(refusal)).not.toContain(home);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['no key', async () => ({ keys: [] })],
    ['no list', async () => ({ keys: 'none' })],
    ['a private key', async () => ({ keys: [key.jwk, await exportJWK(key.privateKey)] })],
    ['a symmetric key', async () => ({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] })],
  ])('is refused with a set of keys that holds %s [api:auth]', async (_what, jwks) => {
    await write(await jwks(), 'jwks.json');
    await expect(read({ ...withoutKeys, jwksFile: 'jwks.json' })).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining('public key'),
    });
  });

  it.each(['provider.json', 'jwks.json'])(
    'is refused when others than its owner may change %s [api:auth]',
    async (open) => {
      const file = await write({ ...withoutKeys, jwksFile: 'jwks.json' });
      await write({ keys: [key.jwk] }, 'jwks.json');
      await readIdentityProvider(file);
      await chmod(join(home, open), 0o664);
      await expect(readIdentityProvider(file)).rejects.toMatchObject({
        code: 'invalid_config',
        message: expect.stringContaining('by others than its owner'),
      });
    },
  );
});
