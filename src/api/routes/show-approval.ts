import { findRequest } from '../../runs/find-request.js';
import { checkRun } from '../../runs/find-run.js';
import { route } from '../route.js';
import { REQUEST_SCHEMA } from '../request-schemas.js';
import { NO_REQUEST, REQUEST_PARAMS, type RequestParams } from '../run-address.js';

export const showApprovalRoute = route<RequestParams>({
  method: 'GET',
  path: '/runs/:id/approvals/:requestKey',
  operationId: 'showApproval',
  summary: 'A request in full: the arguments that run when it is approved, and what a decision must name.',
  roles: ['operator', 'approver', 'auditor'],
  params: REQUEST_PARAMS,
  answers: { 200: { description: 'The request.', schema: REQUEST_SCHEMA } },
  refusals: NO_REQUEST,
  handle: async ({ params: { id, requestKey } }, { client, answerMs }) => {
    await checkRun(client, id);
    return { status: 200, body: await findRequest(client, { runId: id, requestKey }, { limitMs: answerMs }) };
  },
});
