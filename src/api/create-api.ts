import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { HoldfastClient } from '../client.js';
import { LIMITS } from '../contract/limits.js';
import { methodsAt, parseQuery, PREFIX } from './address.js';
import { admission, stillAdmits } from './admission.js';
import { callHandler, OpenStreams } from './answer-call.js';
import { parseBody } from './body-parser.js';
import { ApiRefusal } from './problem.js';
import type { RouteDeps } from './route.js';
import { ROUTES } from './routes.js';
import { HEADERS, sendRefusal } from './send-refusal.js';
import { servePage } from './serve-page.js';
import { logLineOf, type ApiLog } from './told.js';
import type { TokenAuthority } from './token-authority.js';

export interface ApiDeps {
  readonly client: HoldfastClient;
  readonly tokens: TokenAuthority;
  /** Told once for each request. */
  readonly log: ApiLog;
  /** Milliseconds since the epoch. Default Date.now. */
  readonly now?: () => number;
  /** See RouteDeps. Default 5,000. */
  readonly answerMs?: number;
  /** See RouteDeps. Default 15,000. */
  readonly heartbeatMs?: number;
}

/** Longest of a parameter in an address, with every character of it escaped. */
const MOST_PARAMETER = LIMITS.keyCharacters * 12;
/** A request that takes longer to arrive is given up, milliseconds. */
const ARRIVAL_MS = 30_000;

/**
 * The HTTP API (`api:http`, `api:auth`), not yet listening. It decides nothing: what it is asked goes to the runs, and
 * every refusal is a problem (RFC 9457) with a code of Holdfast's one table. Closing it ends open event streams.
 */
export function createApi(deps: ApiDeps): FastifyInstance {
  const { client, tokens, log, now = Date.now, answerMs = 5_000, heartbeatMs = 15_000 } = deps;
  const routeDeps: RouteDeps = { client, answerMs, heartbeatMs };
  const streams = new OpenStreams();
  const api = fastify({
    logger: false,
    bodyLimit: LIMITS.requestBytes,
    // An event stream has no head that ends.
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    requestTimeout: ARRIVAL_MS,
    routerOptions: { maxParamLength: MOST_PARAMETER, querystringParser: parseQuery },
    frameworkErrors: sendRefusal,
  });
  api.decorateRequest('told');
  api.removeAllContentTypeParsers();
  api.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, bytes: Buffer) => parseBody(bytes),
  );
  api.setErrorHandler(sendRefusal);
  api.addHook('onRequest', async (_request, reply) => void reply.headers(HEADERS));
  api.addHook('onRequest', admission(tokens, now));
  // Before Fastify looks for a body: some methods, such as QUERY, must have one.
  api.addHook('onRequest', async (request) => {
    if (request.is404) await refuseAddress(request);
  });
  api.addHook('onResponse', async (request, reply) => log(logLineOf(request, reply)));
  for (const route of ROUTES) {
    api.route({
      method: route.method,
      url: `${PREFIX}${route.path}`,
      bodyLimit: route.body?.most ?? LIMITS.requestBytes,
      config: { roles: route.roles ?? 'everybody' },
      handler: callHandler(route, routeDeps, streams, (request) => stillAdmits(tokens, request)),
    });
  }
  servePage(api);
  api.setNotFoundHandler(refuseAddress);
  return api;
}

async function refuseAddress({ url }: FastifyRequest): Promise<never> {
  const allowed = methodsAt(url, ROUTES).join(', ');
  if (allowed === '') {
    const text = `There is nothing here; ${PREFIX}/openapi.json lists what there is.`;
    throw new ApiRefusal('unknown_route', text);
  }
  throw new ApiRefusal('method_not_allowed', `Use ${allowed} here.`, { headers: { allow: allowed } });
}
