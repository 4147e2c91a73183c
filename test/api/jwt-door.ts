import type { IdentityProvider } from '../../src/api/identity-provider.js';
import {
  claimsOf,
  providerKey,
  sign,
  withProvider,
  type Claims,
  type TestProvider,
} from '../harness/identity-provider.js';
import { withBareApi, type Answered, type TestApi } from './harness.js';

/** The provider has `key` and one for ES256; `other` is not in its set. */
export const key = await providerKey('one');
export const elliptic = await providerKey('three', 'ES256');
export const other = await providerKey('two');

export const NOW = Date.now();
export const SECOND = 1000;

/** The API with a provider of its own, at a time that the test moves. */
export interface JwtDoor extends TestApi, TestProvider {
  readonly clock: { now: number };
  /** Asks with this token. */
  readonly get: (token: string, path?: string) => Promise<Answered>;
}

export function atJwtDoor(
  body: (door: JwtDoor) => Promise<void>,
  changes: Partial<IdentityProvider> = {},
): Promise<void> {
  const clock = { now: NOW };
  return withProvider(
    [key, elliptic],
    (test) =>
      withBareApi(
        (api) => body({ ...api, ...test, clock, get: (token, path) => getWith(api, token, path) }),
        { provider: test.provider, now: () => clock.now },
      ),
    changes,
  );
}

export function getWith({ ask }: TestApi, token: string, path = '/runs'): Promise<Answered> {
  return ask('GET', path, undefined, { as: null, headers: { authorization: `Bearer ${token}` } });
}

/** A token that counts, but for the changes. */
export function jwtOf(changes: Claims = {}): Promise<string> {
  return sign(claimsOf(NOW, changes), key);
}

/** The time of a claim, so many seconds from now. */
export function seconds(offset: number): number {
  return Math.floor(NOW / SECOND) + offset;
}

export const said = ({ status, body }: Answered) => [status, body.code];
export const UNAUTHENTICATED = [401, 'unauthenticated'];
