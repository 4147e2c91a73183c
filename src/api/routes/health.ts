import { route } from '../route.js';

/** Says that this process serves; it asks Temporal nothing, since it is open to everybody. */
export const healthRoute = route({
  method: 'GET',
  path: '/health',
  operationId: 'health',
  summary: 'Whether the API serves. The one address that needs no token.',
  answers: {
    200: {
      description: 'It serves.',
      schema: { type: 'object', required: ['status'], properties: { status: { const: 'ok' } } },
    },
  },
  refusals: [],
  handle: async () => ({ status: 200, body: { status: 'ok' } }),
});
