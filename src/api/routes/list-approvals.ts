import type { ApprovalRequest } from '../../contract/decision.js';
import { statusOf } from '../../runs/ask-run.js';
import { checkRun } from '../../runs/find-run.js';
import { route } from '../route.js';
import { RUN_PARAMS, type RunParams } from '../run-address.js';
import { SUMMARY_PROPERTIES, SUMMARY_REQUIRED } from '../request-schemas.js';

export const listApprovalsRoute = route<RunParams>({
  method: 'GET',
  path: '/runs/:id/approvals',
  operationId: 'listApprovals',
  summary: 'What waits for a person in a run, oldest first, without arguments.',
  roles: ['operator', 'approver', 'auditor'],
  params: RUN_PARAMS,
  answers: {
    200: {
      description: 'The requests; none when the run has ended.',
      schema: {
        type: 'object',
        required: ['requests'],
        properties: {
          requests: {
            type: 'array',
            items: {
              type: 'object',
              required: SUMMARY_REQUIRED,
              properties: SUMMARY_PROPERTIES,
            },
          },
        },
      },
    },
  },
  refusals: ['unknown_run', 'no_worker'],
  handle: async ({ params: { id } }, { client, answerMs }) => {
    const { open } = await checkRun(client, id);
    const pending = open ? (await statusOf(client, id, { limitMs: answerMs })).pending : [];
    return { status: 200, body: { requests: pending.map(inShort) } };
  },
});

function inShort(request: ApprovalRequest): object {
  const { args: _args, preview: _preview, modelText: _text, edited: _edited, paths, ...rest } = request;
  return { ...rest, paths: paths.map(({ relative }) => relative) };
}
