import { statusOf } from '../../runs/ask-run.js';
import { comparePreview } from '../../runs/compare-preview.js';
import { requestIn } from '../../runs/find-request.js';
import { checkRun } from '../../runs/find-run.js';
import { route } from '../route.js';
import { NO_REQUEST, REQUEST_PARAMS, type RequestParams } from '../run-address.js';

export const comparePreviewRoute = route<RequestParams>({
  method: 'GET',
  path: '/runs/:id/approvals/:requestKey/preview',
  operationId: 'comparePreview',
  summary: 'Whether what the preview of a request rests on has changed since, such as a file on disk.',
  roles: ['operator', 'approver', 'auditor'],
  params: REQUEST_PARAMS,
  answers: {
    200: {
      description:
        'changed: as things are now it would not run. none: the request shows nothing that could change. unknown: no worker could say.',
      schema: {
        type: 'object',
        required: ['state'],
        properties: { state: { enum: ['same', 'changed', 'none', 'unknown'] } },
      },
    },
  },
  refusals: NO_REQUEST,
  handle: async ({ params: { id, requestKey } }, { client, answerMs }) => {
    await checkRun(client, id);
    const status = await statusOf(client, id, { limitMs: answerMs });
    const request = requestIn(status, { runId: id, requestKey });
    return { status: 200, body: { state: await comparePreview(client, status.agent, request, answerMs) } };
  },
});
