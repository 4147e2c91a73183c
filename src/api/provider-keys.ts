import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from 'jose';
import type { IdentityProvider } from './identity-provider.js';

/** How long a set of keys is used before it is asked for again: a key that the provider withdrew counts so long. */
const FRESH_MS = 600_000;
/** After an unknown key the set is asked for again, at most once in this time. */
const ASK_AGAIN_MS = 30_000;
/** Between two questions in any case, so that whoever sends tokens while it fails does not flood the provider. */
const PAUSE_MS = 5_000;
/** How long the provider has for its answer. */
const ANSWER_MS = 5_000;

/**
 * The keys of the provider. Those of a URL are fetched when first needed, kept in memory for ten minutes, and not used
 * for a moment longer when they cannot be had again; redirects are not followed.
 *
 * @param now milliseconds since the epoch
 */
export function providerKeys(
  { keys }: Pick<IdentityProvider, 'keys'>,
  now: () => number = Date.now,
): JWTVerifyGetKey {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- jose judges each key that it uses
  if ('jwks' in keys) return createLocalJWKSet(keys.jwks as unknown as JSONWebKeySet);
  let pausedUntil = 0;
  return createRemoteJWKSet(keys.url, {
    cacheMaxAge: FRESH_MS,
    cooldownDuration: ASK_AGAIN_MS,
    timeoutDuration: ANSWER_MS,
    [customFetch]: async (url, options) => {
      if (now() < pausedUntil) throw new Error('The identity provider was asked a moment ago.');
      pausedUntil = now() + PAUSE_MS;
      return fetch(url, options);
    },
  });
}
