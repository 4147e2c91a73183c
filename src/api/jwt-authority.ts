import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from 'jose';
import type { IdentityProvider } from './identity-provider.js';
import type { Authentication, TokenAuthority } from './token-authority.js';
import { NAME_PATTERN, ROLES } from './token-record.js';

/** A compact JWS (RFC 7515) in a bearer header, at most 8 KiB. Our own tokens have no dots. */
const BEARER_JWT = /^bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+) *$/i;
const CHARACTERS = 8192;

/** Signatures by a private key alone: a public key must never be taken for a shared secret (RFC 8725, 3.1). */
const ALGORITHMS = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];
const TOLERANCE_S = 5;

const NAME = new RegExp(NAME_PATTERN);

/**
 * Takes the JWTs of an identity provider, and leaves everything else to the tokens of the state directory. Its public
 * keys are fetched when one is needed, and kept for ten minutes; while they cannot be fetched, none of its tokens counts.
 */
export class JwtAuthority implements TokenAuthority {
  readonly #keys: ReturnType<typeof createRemoteJWKSet>;

  constructor(
    private readonly provider: IdentityProvider,
    private readonly others: TokenAuthority,
    private readonly now: () => number = Date.now,
  ) {
    this.#keys = createRemoteJWKSet(new URL(provider.jwksUrl), { timeoutDuration: 5000 });
  }

  async authenticate(authorization: string | undefined): Promise<Authentication> {
    const token = BEARER_JWT.exec(authorization ?? '')?.[1];
    if (token === undefined) return this.others.authenticate(authorization);
    if (token.length > CHARACTERS) return { refused: 'malformed' };
    const { issuer, audience, nameClaim = 'sub' } = this.provider;
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', nameClaim],
        clockTolerance: TOLERANCE_S,
        currentDate: new Date(this.now()),
      });
      return this.#principalOf(payload, nameClaim);
    } catch (error) {
      return { refused: refusalOf(error) };
    }
  }

  #principalOf(payload: JWTPayload, nameClaim: string): Authentication {
    const name = payload[nameClaim];
    if (typeof name !== 'string' || !NAME.test(name)) return { refused: 'unnamed' };
    const { rolesClaim = 'roles', roles } = this.provider;
    const held = listOf(payload[rolesClaim]);
    return {
      principal: { name, roles: ROLES.filter((role) => roles[role]?.some((value) => held.includes(value))) },
    };
  }
}

function listOf(claim: unknown): readonly unknown[] {
  return Array.isArray(claim) ? claim : [claim];
}

function refusalOf(error: unknown): 'expired' | 'unknown' | 'unverifiable' {
  if (error instanceof errors.JWTExpired) return 'expired';
  const ofKeys = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  // What jose has no name for, or only its own: the keys could not be fetched.
  const unnamed = !(error instanceof errors.JOSEError) || error.code === 'ERR_JOSE_GENERIC';
  return ofKeys || unnamed ? 'unverifiable' : 'unknown';
}
