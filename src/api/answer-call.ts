import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '../contract/limits.js';
import { judgeOf } from './judge-request.js';
import { ApiRefusal } from './problem.js';
import type { Answer, Route, RouteDeps } from './route.js';

/** Nobody asks at an open address. */
const NOBODY = { name: '', roles: [] } as const;

/** The handler of a route: judges what came, asks the route, and sends what it says. */
export function callHandler(route: Route, deps: RouteDeps, streams: OpenStreams) {
  const judge = judgeOf(route);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const principal = request.told?.principal ?? NOBODY;
    const lastEventId = request.headers['last-event-id'];
    const answer = await route.handle(
      {
        ...judge(request),
        principal,
        lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
        gone: gone.signal,
      },
      deps,
    );
    if ('stream' in answer) streams.open(principal.name, reply);
    return send(answer, reply);
  };
}

function send(answer: Answer, reply: FastifyReply): FastifyReply {
  void reply.code(answer.status);
  if ('stream' in answer) return reply.type('text/event-stream').send(Readable.from(answer.stream));
  if (!('body' in answer)) return reply.send();
  return reply.headers(answer.headers ?? {}).send(answer.body);
}

/** How many event streams each token holds open. */
export class OpenStreams {
  readonly #counts = new Map<string, number>();

  /** Counts one until its connection closes. Throws ApiRefusal when there are too many. */
  open(name: string, { raw }: FastifyReply): void {
    const count = this.#counts.get(name) ?? 0;
    if (count >= LIMITS.openStreams) {
      const text = 'This token holds too many event streams open. Close one first.';
      throw new ApiRefusal('rate_limited', text, { headers: { 'retry-after': '10' } });
    }
    this.#counts.set(name, count + 1);
    raw.once('close', () => this.#counts.set(name, (this.#counts.get(name) ?? 1) - 1));
  }
}
