import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { claimsOf, sign } from '../harness/identity-provider.js';
import {
  atJwtDoor,
  jwtOf,
  key,
  NOW,
  other,
  said,
  SECOND,
  seconds,
  UNAUTHENTICATED,
  type JwtDoor,
} from './jwt-door.js';

/** Moves both clocks: that of the API, and that of the library that keeps the set. */
function laterBy(ms: number, clock: JwtDoor['clock']): void {
  clock.now += ms;
  vi.setSystemTime(Date.now() + ms);
}

describe('the keys of the identity provider', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('are fetched once for many tokens, and again for a key that is new [api:auth]', async () => {
    await atJwtDoor(async ({ get, asked, answer, clock }) => {
      const token = await jwtOf();
      await Promise.all(Array.from({ length: 5 }, () => get(token)));
      await get(token);
      expect(asked()).toBe(1);
      answer(200, { keys: [other.jwk] });
      const fresh = await sign(claimsOf(NOW), other);
      // Whoever sends tokens of keys that are none does not make the provider be asked each time.
      expect(said(await get(fresh))).toEqual(UNAUTHENTICATED);
      expect(asked()).toBe(1);
      laterBy(31 * SECOND, clock);
      expect((await get(fresh)).status).toBe(200);
      expect(said(await get(token))).toEqual(UNAUTHENTICATED);
      expect(asked()).toBe(2);
    });
  });

  it('are not used for longer than ten minutes when they cannot be had again [api:auth]', async () => {
    await atJwtDoor(async ({ get, answer, clock }) => {
      const lasting = await jwtOf({ exp: seconds(3600) });
      expect((await get(lasting)).status).toBe(200);
      answer(500);
      laterBy(599 * SECOND, clock);
      expect((await get(lasting)).status).toBe(200);
      laterBy(2 * SECOND, clock);
      expect(said(await get(lasting))).toEqual([503, 'identity_provider_unavailable']);
    });
  });

  it.each<[string, number, object | undefined]>([
    ['answers with a fault', 500, undefined],
    ['answers with a redirect', 302, undefined],
    ['answers with something else', 200, { keys: 'none' }],
  ])(
    'let nobody in while the provider %s, which is not asked at once again [api:auth]',
    async (_, status, jwks) => {
      await atJwtDoor(async ({ get, asked, answer, clock, ask }) => {
        answer(status, jwks);
        const token = await jwtOf();
        for (let i = 0; i < 3; i += 1) {
          const answered = await get(token);
          expect(said(answered)).toEqual([503, 'identity_provider_unavailable']);
          expect(answered.text).not.toContain('127.0.0.1');
        }
        expect(asked()).toBe(1);
        // Tokens of the state directory need no provider.
        expect((await ask('GET', '/runs')).status).toBe(200);
        answer(200, { keys: [key.jwk] });
        clock.now += 6 * SECOND;
        expect((await get(token)).status).toBe(200);
      });
    },
  );

  it('let nobody in when nothing listens where they should be [api:auth]', async () => {
    await atJwtDoor(
      async ({ get, log }) => {
        expect(said(await get(await jwtOf()))).toEqual([503, 'identity_provider_unavailable']);
        expect(log.at(-1)).toMatchObject({ code: 'identity_provider_unavailable', status: 503 });
      },
      { keys: { url: new URL('http://127.0.0.1:1/jwks.json') } },
    );
  });

  it('may be given as a set, and then nobody is asked [api:auth]', async () => {
    await atJwtDoor(
      async ({ get, asked }) => {
        expect((await get(await jwtOf())).status).toBe(200);
        expect(said(await get(await sign(claimsOf(NOW), other)))).toEqual(UNAUTHENTICATED);
        expect(asked()).toBe(0);
      },
      { keys: { jwks: { keys: [JSON.parse(JSON.stringify(key.jwk))] } } },
    );
  });
});
