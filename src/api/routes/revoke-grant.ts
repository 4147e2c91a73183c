import type { ObjectSchema } from '../../contract/tool.js';
import { askControl, CONTROL_ANSWERS, CONTROL_REFUSALS } from '../ask-control.js';
import { route } from '../route.js';
import { RUN_PARAMS, type RunParams } from '../run-address.js';

const GRANT_PARAMS: ObjectSchema = {
  type: 'object',
  allOf: [RUN_PARAMS],
  required: ['tool'],
  properties: { tool: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' } },
};

export const revokeGrantRoute = route<RunParams & { readonly tool: string }>({
  method: 'DELETE',
  path: '/runs/:id/grants/:tool',
  operationId: 'revokeGrant',
  summary: 'End the grant of a tool: its next call asks again.',
  roles: ['operator', 'approver'],
  params: GRANT_PARAMS,
  answers: CONTROL_ANSWERS,
  refusals: CONTROL_REFUSALS,
  handle: ({ params: { id, tool }, principal }, deps) =>
    askControl(id, deps, (client) => client.revoke(id, tool, principal.name)),
});
