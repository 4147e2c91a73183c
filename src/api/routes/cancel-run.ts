import { checkRun } from '../../runs/find-run.js';
import { ApiRefusal } from '../problem.js';
import { route } from '../route.js';
import { RUN_PARAMS, type RunParams } from '../run-address.js';

export const cancelRunRoute = route<RunParams>({
  method: 'POST',
  path: '/runs/:id/cancel',
  operationId: 'cancelRun',
  summary: 'Ask a run to end. Its tools are told, and it ends as cancelled.',
  roles: ['operator'],
  params: RUN_PARAMS,
  answers: {
    202: {
      description: 'The run was asked; it ends once its tools have been told.',
      schema: {
        type: 'object',
        required: ['runId', 'status'],
        properties: { runId: { type: 'string' }, status: { const: 'cancelling' } },
      },
    },
  },
  refusals: ['unknown_run', 'run_closed'],
  handle: async ({ params: { id } }, { client }) => {
    if (!(await checkRun(client, id)).open) {
      throw new ApiRefusal('run_closed', 'The run has ended already; there is nothing to cancel.');
    }
    await client.cancel(id);
    return { status: 202, body: { runId: id, status: 'cancelling' } };
  },
});
