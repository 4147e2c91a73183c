import { budgetsOf } from '../../audit/timeline.js';
import { HoldfastError } from '../../contract/error-codes.js';
import type { RunStatus } from '../../contract/run.js';
import { statusOf } from '../../runs/ask-run.js';
import { withNumber, withNumbers } from '../../runs/call-number.js';
import { recordOf } from '../../runs/run-record.js';
import { route, type RouteDeps } from '../route.js';
import { RUN_PARAMS, type RunParams } from '../run-address.js';

export const showRunRoute = route<RunParams>({
  method: 'GET',
  path: '/runs/:id',
  operationId: 'showRun',
  summary:
    'The whole record of a run from its history, arguments and outputs included, and what waits in it.',
  roles: ['operator', 'approver', 'auditor'],
  params: RUN_PARAMS,
  answers: {
    200: {
      description:
        'As `holdfast show --json` gives it. While the run is open, pending and grants are null when no worker answers.',
      schema: {
        type: 'object',
        required: ['runId', 'turns', 'decisions'],
        properties: {
          runId: { type: 'string' },
          turns: { type: 'array', items: { type: 'object' } },
          decisions: { type: 'array', items: { type: 'object' } },
          pending: { type: ['array', 'null'], items: { type: 'object' } },
          grants: { type: ['array', 'null'], items: { type: 'object' } },
          budgets: { type: 'object', description: 'As recorded, with what operators added.' },
          budget: { type: 'object', description: 'What of them is used, as far as that is known.' },
        },
      },
    },
  },
  refusals: ['unknown_run'],
  handle: async ({ params: { id } }, deps) => {
    const timeline = await recordOf(deps.client, id);
    const budgets = budgetsOf(timeline);
    const record = { runId: id, ...withNumbers(timeline), ...(budgets && { budgets }) };
    if (timeline.end) {
      const budget = 'result' in timeline.end ? timeline.end.result?.budget : undefined;
      return { status: 200, body: { ...record, ...(budget && { budget }) } };
    }
    const status = await stateOf(id, deps);
    const open = {
      pending: status?.pending.map(withNumber) ?? null,
      grants: status?.grants ?? null,
      ...(status && { budget: status.budget }),
    };
    return { status: 200, body: { ...record, ...open } };
  },
});

/** The history alone is worth showing, so that a missing worker is no refusal. */
async function stateOf(runId: string, { client, answerMs }: RouteDeps): Promise<RunStatus | undefined> {
  try {
    return await statusOf(client, runId, { limitMs: answerMs });
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'no_worker') return undefined;
    throw error;
  }
}
