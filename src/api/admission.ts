import type { FastifyRequest } from 'fastify';
import { LIMITS } from '../contract/limits.js';
import { bearerToken } from './bearer-token.js';
import { MinuteLimit } from './minute-limit.js';
import { ApiRefusal } from './problem.js';
import type { Principal, TokenAuthority } from './token-authority.js';
import { ROLES, type Role } from './token-record.js';

/**
 * Lets in who has a valid token with one of the roles that the route wants, and not too often (`api:auth`). Also at
 * addresses that are none: nothing but health is open.
 */
export function admission(tokens: TokenAuthority, now: () => number) {
  const requests = new MinuteLimit(LIMITS.requestsPerMinute, now);
  const refusals = new MinuteLimit(LIMITS.refusalsPerMinute, now);

  async function principalOf(request: FastifyRequest): Promise<Principal> {
    const sent = bearerToken(request.headers.authorization);
    const found = 'token' in sent ? await tokens.authenticate(sent.token) : sent;
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
    // Who has no role at all learns of no address either.
    const permitted = roles ?? ROLES;
    if (!permitted.some((role) => principal.roles.includes(role))) throw lacking(permitted);
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
