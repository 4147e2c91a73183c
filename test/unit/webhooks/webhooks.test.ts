import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HoldfastError } from '../../../src/contract/error-codes.js';
import { readWebhooks } from '../../../src/webhooks/webhook-file.js';
import { checkedWebhooks } from '../../../src/webhooks/webhooks.js';

const secretOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
const secret = secretOf(32);
const url = 'https://hooks.example/canary-path';
const good = { url, secret };

/** What `check` throws. */
function refusal(check: () => unknown): HoldfastError {
  try {
    check();
  } catch (error) {
    if (error instanceof HoldfastError) return error;
  }
  throw new Error('Nothing was refused.');
}

describe('the webhooks of a worker', () => {
  it('have names by their places when they have none, and are told no arguments [hitl:notify]', () => {
    const also = { name: 'ops', url: 'http://127.0.0.1:1/', secret: secretOf(24), includeArguments: true };
    expect(checkedWebhooks([good, also])).toEqual([
      { name: 'webhook-1', url, secret, includeArguments: false },
      also,
    ]);
    expect(checkedWebhooks([])).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no list', good, 'webhooks: expected array'],
    ['no url', [{ secret }], 'url'],
    ['no secret', [{ url }], 'secret'],
    ['an unknown field', [{ ...good, token: 'canary' }], 'token'],
    ['a name with a blank', [{ ...good, name: 'a b' }], 'name'],
    ['more than ten', Array.from({ length: 11 }, (_, n) => ({ ...good, name: `w${n}` })), '10'],
    ['another scheme', [{ secret, url: 'ftp://canary.example' }], 'webhook-1: its url must be an http'],
    ['a file', [{ secret, url: 'file:///canary' }], 'its url must be an http or https URL'],
    ['no URL', [{ secret, url: 'canary' }], 'its url must be an http or https URL'],
    ['credentials', [{ secret, url: 'https://canary:canary@hooks.example' }], 'must not hold credentials'],
    ['a secret without its prefix', [{ url, secret: secret.slice(6) }], 'its secret must be whsec_'],
    ['a short secret', [{ url, secret: secretOf(23) }], 'its secret must be whsec_'],
    ['a long secret', [{ url, secret: secretOf(65) }], 'its secret must be whsec_'],
    [
      'a secret that is no base64',
      [{ url, secret: `${secret.slice(0, -3)}!!=` }],
      'its secret must be whsec_',
    ],
    ['a name twice', [{ ...good, name: 'webhook-2' }, good], 'Two webhooks have the name webhook-2'],
  ])('are refused with %s, without a word of URL or secret [hitl:notify]', (_what, webhooks, says) => {
    const { code, message } = refusal(() => checkedWebhooks(webhooks));
    expect(code).toBe('invalid_config');
    expect(message).toContain(says);
    expect(message).not.toContain('canary');
    expect(message).not.toContain(secret.slice(6, 20));
  });
});

describe('the file of webhooks', () => {
  it('holds such a list, and is refused when it does not [hitl:notify]', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-webhooks-'));
    try {
      const file = join(directory, 'webhooks.json');
      await expect(readWebhooks(file)).rejects.toThrow('The file of webhooks cannot be read');
      await writeFile(file, `[{"url": "${url}", "secret": ${secret}}]`, { mode: 0o600 });
      const noJson = readWebhooks(file).catch((error: unknown) => error);
      expect(await noJson).toMatchObject({
        code: 'invalid_config',
        message: expect.stringContaining('no JSON'),
      });
      expect(String(await noJson)).not.toContain('canary');
      await writeFile(file, JSON.stringify([good]));
      expect(await readWebhooks(file)).toMatchObject([{ name: 'webhook-1', url }]);
      for (const mode of [0o640, 0o604, 0o620]) {
        await chmod(file, mode);
        const open = readWebhooks(file).catch((error: unknown) => error);
        expect(await open).toMatchObject({ message: expect.stringContaining('open to others') });
        expect(String(await open)).not.toContain('canary');
      }
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
