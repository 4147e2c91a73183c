import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../contract/limits.js';
import { START_SCHEMA, type StartRequest } from '../../contract/manifest.js';
import { beginRun, hasWorker, isTaken } from '../../runs/begin-run.js';
import { PREFIX } from '../address.js';
import { ApiRefusal } from '../problem.js';
import { refuseCwd } from '../refuse-cwd.js';
import { route } from '../route.js';

const { startedBy: _starter, ...properties } = START_SCHEMA.properties;

const NOBODY =
  'No worker holds an agent of this name now, so nothing was started. Start one, or send "queue": true to have the run wait.';

type StartBody = Omit<StartRequest, 'startedBy'> & { readonly runId?: string; readonly queue?: boolean };

/**
 * Starts as whoever the token belongs to, and answers once a worker has taken the start for good, so that a refused
 * one is refused to who asked.
 */
export const startRunRoute = route<unknown, unknown, StartBody>({
  method: 'POST',
  path: '/runs',
  operationId: 'startRun',
  summary: 'Start a run. With queue, also when no worker of the agent is there: the run waits for one.',
  roles: ['operator'],
  body: {
    name: 'StartRun',
    fault: 'invalid_start',
    look: refuseCwd,
    most: LIMITS.startBodyBytes,
    schema: {
      ...START_SCHEMA,
      properties: {
        ...properties,
        runId: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
        queue: { type: 'boolean' },
      },
    },
  },
  answers: {
    201: {
      description: 'The run has started; Location is its address.',
      schema: {
        type: 'object',
        required: ['runId', 'taken'],
        properties: {
          runId: { type: 'string' },
          taken: {
            type: 'boolean',
            description: 'Whether a worker has begun with it; false also when queue did not wait for one.',
          },
        },
      },
    },
  },
  refusals: [
    'invalid_start',
    'cwd_not_permitted',
    'run_exists',
    'unknown_agent',
    'unknown_tool_name',
    'surface_widened',
    'invalid_agent',
    'invalid_workspace',
  ],
  handle: async ({ body, principal }, { client, answerMs }) => {
    const { runId = `run-${randomUUID()}`, queue = false, ...request } = body;
    // A name that nobody serves is the sender's to mend: no 5xx, which would call for whoever runs this server.
    if (!queue && !(await hasWorker(client, request.agent, answerMs))) {
      throw new ApiRefusal('unknown_agent', NOBODY);
    }
    await beginRun(client, { ...request, startedBy: principal.name }, runId);
    const taken = !queue && (await isTaken(client, runId));
    return { status: 201, body: { runId, taken }, headers: { location: `${PREFIX}/runs/${runId}` } };
  },
});
