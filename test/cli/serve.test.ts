import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Interrupts } from '../../src/cli/interrupts.js';
import { claimsOf, providerKey, sign, withProvider } from '../harness/identity-provider.js';
import { holdfast } from './in-process.js';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('holdfast serve', () => {
  it('takes JWTs of the identity provider that HOLDFAST_IDENTITY_PROVIDER names, and logs none [api:auth] [api:cli]', async () => {
    const key = await providerKey('one');
    const home = await mkdtemp(join(tmpdir(), 'holdfast-serve-'));
    try {
      await withProvider([key], async ({ provider: { keys, ...provider } }) => {
        const jwksUrl = 'url' in keys ? keys.url.href : '';
        const file = join(home, 'provider.json');
        await writeFile(file, JSON.stringify({ ...provider, jwksUrl }), { mode: 0o600 });
        vi.stubEnv('HOLDFAST_IDENTITY_PROVIDER', file);
        vi.stubEnv('HOLDFAST_STATE_DIR', join(home, 'state'));
        const port = await freePort();
        const interrupts = new Interrupts(() => undefined);
        const ended = holdfast(['serve', '--port', String(port)], { interrupts });
        const token = await sign(claimsOf(Date.now()), key);
        const expired = await sign(claimsOf(Date.now(), { exp: 1 }), key);
        const get = async (bearer: string) =>
          (
            await fetch(`http://127.0.0.1:${port}/v1/openapi.json`, {
              headers: { authorization: `Bearer ${bearer}` },
            })
          ).status;
        await vi.waitFor(async () => expect(await get(token)).toBe(200), { timeout: 30_000 });
        expect(await get(expired)).toBe(401);
        interrupts.interrupt();
        const { code, shown, complaints } = await ended;
        expect(code).toBe(0);
        expect(complaints).toMatch(/ 200 .* ann@example\.com\n/);
        expect(complaints).toMatch(/ 401 .* - expired unauthenticated\n/);
        expect(complaints).not.toContain('There is no token yet');
        for (const part of [...token.split('.'), ...expired.split('.')]) {
          expect(shown + complaints).not.toContain(part);
        }
      });
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});
