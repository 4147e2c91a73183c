import type { FastifyRequest } from 'fastify';
import { LIMITS } from '../contract/limits.js';
import { bearerToken } from './bearer-token.js';
import { MinuteLimit } from './minute-limit.js';
import { ApiRefusal } from './problem.js';
import type { Principal, TokenAuthority } from './token-authority.js';
import { ROLES, type Role } from './token-record.js';

/** Says who a request is by, or why it is by nobody. */
async function authenticate(tokens: TokenAuthority, { headers }: FastifyRequest) {
  const sent = bearerToken(headers.authorization);
  return 'token' in sent ? tokens.authenticate(sent.token) : sent;
}

/** Who has no role at all learns of no address either. */
function mayAsk({ roles }: Principal, permitted: readonly Role[] = ROLES): boolean {
  return permitted.some((role) => roles.includes(role));
}

/** Whether a request that was let in would be let in now, however often it comes. Throws as a TokenAuthority does. */
export async function stillAdmits(tokens: TokenAuthority, request: FastifyRequest): Promise<boolean> {
  const { roles } = request.routeOptions.config;
  if (roles === 'everybody') return true;
  const found = await authenticate(tokens, request);
  return 'principal' in found && mayAsk(found.principal, roles);
}

/**
 * Lets in who has a valid token with one of the roles that the route wants, and not too often (`api:auth`). Also at
 * addresses that are none: nothing but health is open.
 */
export function admission(tokens: TokenAuthority, now: () => number) {
  const requests = new MinuteLimit(LIMITS.requestsPerMinute, now);
  const refusals = new MinuteLimit(LIMITS.refusalsPerMinute, now);

  async function principalOf(request: FastifyRequest): Promise<Principal> {
    const found = await authenticate(tokens, request);
    const told = (request.told ??= {});
    if ('principal' in found) return (told.principal = found.principal);
    told.refused = found.refused;
    if ('name' in found) told.staleName = found.name;
    // Only who fails is slowed down, by address: who has a token is not locked out by a neighbour behind one proxy.
    const wait = refusals.take(request.ip);
    if (wait !== undefined) throw tooMany(wait);
    throw new ApiRefusal('unauthenticated', 'Send a valid token as `Authorization: Bearer TOKEN`.', {
      headers: { 'www-authenticate': 'Bearer realm="holdfast"' },
    });
  }

  return async (request: FastifyRequest): Promise<void> => {
    const { roles } = request.routeOptions.config;
    if (roles === 'everybody') return;
    const principal = await principalOf(request);
    const wait = requests.take(principal.name);
    if (wait !== undefined) throw tooMany(wait);
    if (!mayAsk(principal, roles)) throw lacking(roles ?? ROLES);
  };
}

function tooMany(seconds: number): ApiRefusal {
  return new ApiRefusal('rate_limited', `Too many requests. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

function lacking(roles: readonly Role[]): ApiRefusal {
  return new ApiRefusal('role_lacking', `This needs a token with the role ${roles.join(' or ')}.`);
}
