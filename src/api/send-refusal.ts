import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiRefusal, PROBLEM_TYPE, problemOf, refusalFrom } from './problem.js';

/** On every answer. There is no CORS: a page of another origin reads nothing here. */
export const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Where nobody knows how long it takes, seconds: a run judges what waits in it in far less. */
const WAIT = { 'retry-after': '1' };

/** Answers with any failure as a problem, and remembers its code for the log. */
export function sendRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalFrom(error);
  const { code } = refusal;
  const { errors, headers = {} } = refusal instanceof ApiRefusal ? refusal.more : {};
  const told = (request.told ??= {});
  told.code = code;
  if (code === 'internal_error' && error instanceof Error) {
    told.defect = { name: error.name, stack: error.stack };
  }
  const problem = problemOf(code, refusal.message, errors);
  // As bytes: to a text Fastify adds a charset, which this type does not have.
  void reply
    .code(problem.status)
    .headers({ ...HEADERS, ...(problem.status === 429 && WAIT), ...headers })
    .type(PROBLEM_TYPE)
    .send(Buffer.from(JSON.stringify(problem)));
}
