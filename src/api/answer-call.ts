import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '../contract/limits.js';
import { judgeOf } from './judge-request.js';
import { ApiRefusal } from './problem.js';
import type { Answer, Route, RouteDeps } from './route.js';
import { whileAdmitted } from './while-admitted.js';

/** Nobody asks at an open address. */
const NOBODY = { name: '', roles: [] } as const;

/** Whether who asked would be let in now. */
type StillAdmits = (request: FastifyRequest) => Promise<boolean>;

/** The handler of a route: judges what came, asks the route, and sends what it says. */
export function callHandler(route: Route, deps: RouteDeps, streams: OpenStreams, stillAdmits: StillAdmits) {
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
    if (!('stream' in answer)) return send(answer, reply);
    streams.open(principal.name, reply);
    const frames = whileAdmitted(answer.stream, () => stillAdmits(request), deps.heartbeatMs);
    return reply.code(answer.status).type('text/event-stream').send(Readable.from(frames));
  };
}

function send(answer: Exclude<Answer, { stream: unknown }>, reply: FastifyReply): FastifyReply {
  void reply.code(answer.status);
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
