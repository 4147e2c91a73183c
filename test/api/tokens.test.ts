import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { issueToken, revokeToken } from '../../src/api/issue-token.js';
import type { ApiLogLine } from '../../src/api/told.js';
import { tokenHash, type Role } from '../../src/api/token-record.js';
import { LIMITS } from '../../src/contract/limits.js';
import { withBareApi } from './harness.js';

const MINUTE = 60_000;
type Ask = readonly [method: 'GET' | 'POST' | 'DELETE', path: string];
const READS: readonly Ask[] = [
  ['GET', '/runs'],
  ['GET', '/runs/none'],
  ['GET', '/runs/none/events'],
  ['GET', '/approvals'],
  ['GET', '/runs/none/approvals'],
  ['GET', '/runs/none/approvals/key'],
  ['GET', '/openapi.json'],
];
const OPERATES: readonly Ask[] = [
  ['POST', '/runs'],
  ['POST', '/runs/none/messages'],
  ['POST', '/runs/none/pause'],
  ['POST', '/runs/none/resume'],
  ['POST', '/runs/none/cancel'],
  ['POST', '/runs/none/budget'],
];
const DECIDES: readonly Ask[] = [['POST', '/runs/none/approvals/key/decision']];
const REVOKES: readonly Ask[] = [['DELETE', '/runs/none/grants/write']];

describe('a request', () => {
  it.each([...READS, ...OPERATES, ...DECIDES, ...REVOKES, ['GET', '/nowhere'] as const])(
    'without a token learns nothing but that one is needed: %s %s [api:auth]',
    async (method, path) => {
      await withBareApi(async ({ ask }) => {
        const { status, headers, body } = await ask(method, path, undefined, { as: null });
        expect([status, body.code, headers['www-authenticate']]).toEqual([
          401,
          'unauthenticated',
          'Bearer realm="holdfast"',
        ]);
      });
    },
  );

  it('needs no token to ask whether the API serves [api:auth]', async () => {
    await withBareApi(async ({ ask }) => {
      expect((await ask('GET', '/health', undefined, { as: null })).body).toEqual({ status: 'ok' });
    });
  });

  it.each<[Role, readonly Ask[], readonly Ask[]]>([
    ['operator', [...READS, ...OPERATES, ...REVOKES], DECIDES],
    ['approver', [...READS, ...DECIDES, ...REVOKES], OPERATES],
    ['auditor', READS, [...OPERATES, ...DECIDES, ...REVOKES]],
  ])('of an %s may do what its role says and nothing else [api:auth]', async (role, may, mayNot) => {
    await withBareApi(async ({ ask }) => {
      const statuses = async (list: readonly Ask[]): Promise<readonly number[]> =>
        Promise.all(
          list.map(async ([method, path]) => (await ask(method, path, undefined, { as: role })).status),
        );
      expect((await statuses(may)).filter((status) => status === 401 || status === 403)).toEqual([]);
      expect(new Set(await statuses(mayNot))).toEqual(new Set([403]));
    });
  });
});

describe('a token', () => {
  const wrong = (token: string): readonly [string, string][] => [
    ['of another scheme', `Basic ${token}`],
    ['that is empty', 'Bearer '],
    ['with a character more', `Bearer ${token}A`],
    ['with a character less', `Bearer ${token.slice(0, -1)}`],
    [
      'with one character changed',
      `Bearer ${token.slice(0, -2)}${token.at(-2) === 'A' ? 'B' : 'A'}${token.at(-1)}`,
    ],
    ['that is a hash', `Bearer ${'0'.repeat(64)}`],
    ['that is very long', `Bearer ${'A'.repeat(5000)}`],
    ['twice', `Bearer ${token}, Bearer ${token}`],
  ];

  it('that is wrong in any way is refused, and none is ever logged [api:auth] [events:no-args]', async () => {
    await withBareApi(async ({ ask, tokens, log }) => {
      for (const [, authorization] of wrong(tokens.operator)) {
        const { status, text } = await ask('GET', '/runs', undefined, {
          as: null,
          headers: { authorization },
        });
        expect([authorization.slice(0, 10), status]).toEqual([authorization.slice(0, 10), 401]);
        expect(text).not.toContain(tokens.operator.slice(0, 30));
      }
      await ask('GET', '/runs', undefined, { as: 'operator' });
      expect(log.at(-1)).toMatchObject({ token: 'operator', route: '/v1/runs', status: 200 });
      expect(log[0]).toMatchObject({ refused: 'malformed', status: 401, code: 'unauthenticated' });
      expect(JSON.stringify(log)).not.toContain('holdfast_');
    });
  });

  it('that is revoked counts no more from the next request on, also by another process [api:auth]', async () => {
    await withBareApi(async ({ ask, stateDir, log }) => {
      expect((await ask('GET', '/runs', undefined, { as: 'auditor' })).status).toBe(200);
      await revokeToken(stateDir, 'auditor');
      expect((await ask('GET', '/runs', undefined, { as: 'auditor' })).status).toBe(401);
      expect(log.at(-1)).toMatchObject({ token: 'auditor', refused: 'revoked', status: 401 });
      expect((await ask('GET', '/runs', undefined, { as: 'operator' })).status).toBe(200);
    });
  });

  it('that has expired counts no more [api:auth]', async () => {
    let now = Date.now();
    await withBareApi(
      async ({ ask, stateDir, log }) => {
        const token = await issueToken(stateDir, { name: 'ann', roles: ['auditor'], expiresInMs: MINUTE });
        const asked = async () =>
          (await ask('GET', '/runs', undefined, { as: null, headers: { authorization: `Bearer ${token}` } }))
            .status;
        expect(await asked()).toBe(200);
        now += MINUTE + 1000;
        expect(await asked()).toBe(401);
        expect(log.at(-1)).toMatchObject({ token: 'ann', refused: 'expired' });
      },
      { now: () => now },
    );
  });

  it.each<[string, number, Partial<ApiLogLine>]>([
    ['missing', 401, { refused: 'missing', code: 'unauthenticated' }],
    ['wrong', 401, { refused: 'unknown', code: 'unauthenticated' }],
    ['revoked', 401, { refused: 'revoked', token: 'ann', code: 'unauthenticated' }],
    ['expired', 401, { refused: 'expired', token: 'ann', code: 'unauthenticated' }],
    ['of another role', 403, { token: 'ann', code: 'role_lacking' }],
    ['in the address', 401, { refused: 'missing', code: 'unauthenticated' }],
  ])(
    'that is %s is logged by what was wrong, never as it is [api:auth] [events:no-args]',
    async (how, status, line) => {
      let now = Date.now();
      await withBareApi(
        async ({ ask, stateDir, log }) => {
          const token = await issueToken(stateDir, { name: 'ann', roles: ['auditor'], expiresInMs: MINUTE });
          if (how === 'revoked') await revokeToken(stateDir, 'ann');
          if (how === 'expired') now += MINUTE + 1000;
          const sent = how === 'wrong' ? token.replace(/.$/, token.endsWith('A') ? 'E' : 'A') : token;
          const bare = how === 'missing' || how === 'in the address';
          const answered = await ask(
            'POST',
            how === 'in the address' ? `/runs/${token}/pause?token=${token}` : '/runs',
            {},
            { as: null, headers: bare ? {} : { authorization: `Bearer ${sent}` } },
          );
          expect(answered.status).toBe(status);
          expect(log).toMatchObject([{ status, method: 'POST', ...line }]);
          const hash = tokenHash(token).toString('hex');
          for (const part of [token.slice('holdfast_'.length, 30), hash.slice(0, 20)]) {
            expect(JSON.stringify([log, answered])).not.toContain(part);
          }
        },
        { now: () => now },
      );
    },
  );

  it('stands in its file as a hash alone, which only its owner may read [api:auth]', async () => {
    await withBareApi(async ({ stateDir, tokens }) => {
      const path = join(stateDir, 'tokens.json');
      const text = await readFile(path, 'utf8');
      for (const token of Object.values(tokens)) {
        expect(token).toMatch(/^holdfast_[A-Za-z0-9_-]{43}$/);
        expect(text).not.toContain(token.slice('holdfast_'.length, 30));
      }
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    });
  });

  it('has a name that no other valid token has [api:auth]', async () => {
    await withBareApi(async ({ stateDir }) => {
      const wish = { name: 'operator', roles: ['operator'] } as const;
      await expect(issueToken(stateDir, wish)).rejects.toMatchObject({ code: 'invalid_config' });
      await revokeToken(stateDir, 'operator');
      expect(await issueToken(stateDir, wish)).toMatch(/^holdfast_/);
      await expect(revokeToken(stateDir, 'nobody')).rejects.toMatchObject({ code: 'invalid_config' });
      await expect(issueToken(stateDir, { ...wish, name: 'a b' })).rejects.toMatchObject({
        code: 'invalid_config',
      });
    });
  });

  it('is kept when several are made at once [api:auth]', async () => {
    await withBareApi(async ({ stateDir }) => {
      const names = ['a', 'b', 'c', 'd', 'e'];
      await Promise.all(names.map((name) => issueToken(stateDir, { name, roles: ['auditor'] })));
      const text = await readFile(join(stateDir, 'tokens.json'), 'utf8');
      const { tokens } = JSON.parse(text) as { tokens: { name: string }[] };
      expect(tokens.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    });
  });

  it.each([
    ['is no JSON', async (path: string) => writeFile(path, '{')],
    ['has another shape', async (path: string) => writeFile(path, '{"version":1,"tokens":[{"name":"x"}]}')],
    ['others may read', async (path: string) => chmod(path, 0o644)],
  ])('is not taken when the file of tokens %s: nobody is let in [api:auth]', async (_how, damage) => {
    await withBareApi(async ({ ask, stateDir }) => {
      expect((await ask('GET', '/runs')).status).toBe(200);
      await damage(join(stateDir, 'tokens.json'));
      const { status, body, text } = await ask('GET', '/runs');
      expect([status, body.code]).toEqual([503, 'invalid_config']);
      expect(text).not.toContain(stateDir);
    });
  });
});

describe('a limit', () => {
  it('holds for requests of one token, not for another, and ends after a minute [api:auth]', async () => {
    let now = Date.now();
    await withBareApi(
      async ({ ask }) => {
        const status = async (as: Role) => (await ask('GET', '/nowhere', undefined, { as })).status;
        for (let i = 0; i < LIMITS.requestsPerMinute; i += 1) expect(await status('auditor')).toBe(404);
        const { status: refused, headers, body } = await ask('GET', '/runs', undefined, { as: 'auditor' });
        expect([refused, body.code, headers['retry-after']]).toEqual([429, 'rate_limited', '60']);
        expect(await status('operator')).toBe(404);
        now += MINUTE;
        expect(await status('auditor')).toBe(404);
      },
      { now: () => now },
    );
  });

  it('holds for failures of one address, and locks out nobody who has a token [api:auth]', async () => {
    let now = Date.now();
    await withBareApi(
      async ({ ask }) => {
        const status = async () => (await ask('GET', '/runs', undefined, { as: null })).status;
        for (let i = 0; i < LIMITS.refusalsPerMinute; i += 1) expect(await status()).toBe(401);
        expect(await status()).toBe(429);
        expect((await ask('GET', '/nowhere')).status).toBe(404);
        now += MINUTE;
        expect(await status()).toBe(401);
      },
      { now: () => now },
    );
  });
});
