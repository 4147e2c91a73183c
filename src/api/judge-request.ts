import type { FastifyRequest } from 'fastify';
import { compileSchema, type SchemaValidator } from '../registry/schema-validator.js';
import type { ObjectSchema } from '../contract/tool.js';
import type { ErrorCode } from '../contract/error-codes.js';
import { ApiRefusal, type Fault } from './problem.js';
import type { Route } from './route.js';

/** What a request brings, once it fits the schemas of its route. */
export interface JudgedRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

const NOTHING: ObjectSchema = { type: 'object', additionalProperties: false };

/**
 * Judges by the project's own validator, without coercion: nothing that a client sent is changed or left out. Throws
 * ApiRefusal with the place of the fault.
 */
export function judgeOf({ params, query, body }: Route): (request: FastifyRequest) => JudgedRequest {
  const judgeParams = compileSchema(params ?? NOTHING);
  const judgeQuery = compileSchema(query ?? NOTHING);
  const judgeBody = compileSchema(body?.schema ?? NOTHING);
  return (request) => {
    expectFit(judgeParams, request.params, 'path', 'malformed_request');
    expectFit(judgeQuery, request.query, 'query', 'malformed_request');
    const sent = request.body ?? {};
    body?.look?.(sent);
    expectFit(judgeBody, sent, 'body', body?.fault ?? 'malformed_request');
    return { params: request.params, query: request.query, body: sent };
  };
}

function expectFit(judge: SchemaValidator, value: unknown, where: Fault['in'], code: ErrorCode): void {
  const fault = judge(value);
  if (fault === undefined) return;
  const { text: detail, at } = fault;
  const part = where === 'path' ? 'address' : where;
  throw new ApiRefusal(code, `The ${part} is not as documented. ${detail}`, {
    errors: [{ in: where, detail, ...(where === 'body' && at !== undefined && { pointer: `#${at}` }) }],
  });
}
