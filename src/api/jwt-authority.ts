import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { HoldfastError } from '../contract/error-codes.js';
import type { IdentityProvider } from './identity-provider.js';
import type { Authentication, FileTokenAuthority, TokenAuthority, TokenFault } from './token-authority.js';
import { NAME_PATTERN, ROLES, type Role } from './token-record.js';

/** Three parts, as a signed JWT has. No token of ours holds a dot. */
const JWT_SHAPE = /^[^.]*\.[^.]*\.[^.]*$/;
const NAME = new RegExp(NAME_PATTERN);

/**
 * JWTs of one identity provider beside the tokens of a state directory (`api:auth`). A JWT counts until it expires; a
 * name that a valid token of the state directory has is that one's alone, so that a name in a history is one person's.
 * Throws HoldfastError `identity_provider_unavailable` when the provider's keys cannot be had.
 */
export class JwtAuthority implements TokenAuthority {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly keys: JWTVerifyGetKey,
    private readonly tokens: FileTokenAuthority,
    private readonly now: () => number = Date.now,
  ) {}

  async authenticate(token: string): Promise<Authentication> {
    if (!JWT_SHAPE.test(token)) return this.tokens.authenticate(token);
    const verified = await this.#verify(token);
    if (typeof verified === 'string') return { refused: verified };
    const name = nameIn(verified, this.provider);
    if (name === undefined) return { refused: 'bad_name' };
    if (await this.tokens.hasName(name)) return { refused: 'name_taken', name };
    return { principal: { name, roles: rolesIn(verified, this.provider) } };
  }

  async #verify(token: string): Promise<JWTPayload | TokenFault> {
    const { issuer, audience, algorithms, clockToleranceSeconds } = this.provider;
    try {
      const { payload } = await jwtVerify(token, this.keys, {
        issuer,
        audience,
        algorithms: [...algorithms],
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['exp'],
        currentDate: new Date(this.now()),
      });
      return payload;
    } catch (error) {
      return faultOf(error);
    }
  }
}

/** What is wrong with a token. Whatever is not a fault of the token is one of the keys. */
function faultOf(error: unknown): TokenFault {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return claimFault(error);
  if (error instanceof errors.JOSEAlgNotAllowed) return 'algorithm_not_allowed';
  if (error instanceof errors.JWKSNoMatchingKey) return 'unknown_key';
  // A provider with several keys must say which one signed.
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'unknown_key';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'bad_signature';
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return 'malformed';
  if (error instanceof errors.JOSENotSupported) return 'malformed';
  const text = 'The keys of the identity provider cannot be had or used. Try again later.';
  throw new HoldfastError('identity_provider_unavailable', text, { cause: error });
}

function claimFault({ claim, reason }: errors.JWTClaimValidationFailed): TokenFault {
  if (claim === 'iss') return 'wrong_issuer';
  if (claim === 'aud') return 'wrong_audience';
  return claim === 'nbf' && reason === 'check_failed' ? 'not_yet_valid' : 'bad_claim';
}

/** Undefined for what can be no name here, and for a mail address that the provider did not verify. */
function nameIn(claims: JWTPayload, { nameClaim }: IdentityProvider): string | undefined {
  const name = claims[nameClaim];
  if (typeof name !== 'string' || !NAME.test(name)) return undefined;
  return nameClaim === 'email' && claims['email_verified'] !== true ? undefined : name;
}

/** A list of texts, or one text; `scope` alone is several in one (RFC 8693). Anything else gives no role. */
function rolesIn(claims: JWTPayload, { rolesClaim, roles }: IdentityProvider): readonly Role[] {
  const claim = claims[rolesClaim];
  const several = typeof claim === 'string' && rolesClaim === 'scope' ? claim.split(' ') : claim;
  const values: readonly unknown[] = Array.isArray(several) ? several : [several];
  return ROLES.filter((role) => roles[role]?.some((value) => values.includes(value)));
}
