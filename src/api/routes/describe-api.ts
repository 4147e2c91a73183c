import { openApiOf } from '../openapi.js';
import { route, type Route } from '../route.js';

/** The description of all routes, itself included. */
export function describeApiRoute(routes: () => readonly Route[]): Route {
  return route({
    method: 'GET',
    path: '/openapi.json',
    operationId: 'describeApi',
    summary: 'This description.',
    roles: ['operator', 'approver', 'auditor'],
    answers: {
      200: { description: 'OpenAPI 3.1.', schema: { type: 'object', required: ['openapi', 'paths'] } },
    },
    refusals: [],
    handle: async () => ({ status: 200, body: openApiOf(routes()) }),
  });
}
