import { ERROR_CODES, type ErrorCode } from '../contract/error-codes.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { PREFIX } from './address.js';
import { statusFor } from './http-status.js';
import { PROBLEM_TYPE } from './problem.js';
import type { AnswerDoc, Route } from './route.js';

/** What any route with a token may answer with. */
const ALWAYS: readonly ErrorCode[] = [
  'malformed_request',
  'rate_limited',
  'internal_error',
  'temporal_unavailable',
];
const WITH_TOKEN: readonly ErrorCode[] = [
  'unauthenticated',
  'role_lacking',
  'invalid_config',
  'identity_provider_unavailable',
];
const WITH_BODY: readonly ErrorCode[] = ['request_too_large', 'unsupported_media_type'];

const PROBLEM: JsonObject = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { enum: Object.keys(ERROR_CODES) },
    detail: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['in', 'detail'],
        properties: {
          in: { enum: ['path', 'query', 'body'] },
          detail: { type: 'string' },
          pointer: {
            type: 'string',
            description: 'JSON Pointer to the place in the body, such as `#/args/line`.',
          },
        },
      },
    },
  },
};

/** The description of the API in OpenAPI 3.1, from the schemas by which it judges. */
export function openApiOf(routes: readonly Route[]): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const path = `${PREFIX}${route.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  const bodies = routes.flatMap(({ body }) =>
    body ? [[body.name, inDocument(body.schema, body.name)]] : [],
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdfast',
      version: '1',
      description: 'Runs of agents, and decisions about their calls.',
    },
    paths,
    components: {
      schemas: { Problem: PROBLEM, ...Object.fromEntries(bodies) },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operationOf(route: Route): JsonObject {
  const { operationId, summary, roles, body, answers } = route;
  const done = Object.entries(answers).map(([status, doc]) => [status, answerOf(doc)] as const);
  return {
    operationId,
    summary,
    ...(roles && { description: `Role: ${roles.join(' or ')}.` }),
    security: roles ? [{ token: [] }] : [],
    parameters: [...parametersOf(route.params, 'path'), ...parametersOf(route.query, 'query')],
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${body.name}` } } },
      },
    }),
    responses: { ...Object.fromEntries(done), ...refusalsOf(route) },
  };
}

function answerOf({ description, schema, type }: AnswerDoc): JsonObject {
  const content = schema ?? (type && { type: 'string' });
  return { description, ...(content && { content: { [type ?? 'application/json']: { schema: content } } }) };
}

/** One answer for each status, which says the codes that have it. */
function refusalsOf({ roles, refusals, method }: Route): JsonObject {
  const codes = new Set([
    ...ALWAYS,
    ...(roles ? WITH_TOKEN : []),
    ...(method === 'GET' ? [] : WITH_BODY),
    ...refusals,
  ]);
  const byStatus = new Map<number, readonly ErrorCode[]>();
  for (const code of codes) byStatus.set(statusFor(code), [...(byStatus.get(statusFor(code)) ?? []), code]);
  const content = { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } };
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [String(status), { description: `${some.join(', ')}.`, content }]),
  );
}

function parametersOf(schema: JsonObject | undefined, where: 'path' | 'query'): readonly JsonObject[] {
  const parts = [schema, ...(Array.isArray(schema?.['allOf']) ? schema['allOf'] : [])];
  return parts.flatMap((part) => {
    const properties = isJsonObject(part) && isJsonObject(part['properties']) ? part['properties'] : {};
    return Object.entries(properties).map(([name, of = {}]) => ({
      name,
      in: where,
      required: where === 'path',
      schema: of,
    }));
  });
}

/** A schema at its place in the document: references of its own lead there. */
function inDocument(schema: JsonObject, name: string): JsonValue {
  const { $schema: _, ...plain } = schema;
  const moved = (value: JsonValue | undefined): JsonValue => {
    if (Array.isArray(value)) return value.map(moved);
    if (!isJsonObject(value)) return value ?? null;
    return Object.fromEntries(
      Object.entries(value).map(([word, inner]) => [
        word,
        word === '$ref' && typeof inner === 'string'
          ? inner.replace(/^#\//, `#/components/schemas/${name}/`)
          : moved(inner),
      ]),
    );
  };
  return moved(plain);
}
