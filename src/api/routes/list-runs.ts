import { HoldfastError } from '../../contract/error-codes.js';
import { listRuns, RUN_STATUSES, type RunStatusName } from '../../runs/list-runs.js';
import { ApiRefusal } from '../problem.js';
import { route } from '../route.js';

interface ListQuery {
  readonly agent?: string;
  readonly status?: RunStatusName;
  readonly limit?: string;
  readonly page?: string;
}

const DEFAULT_LIMIT = 20;

export const listRunsRoute = route<unknown, ListQuery>({
  method: 'GET',
  path: '/runs',
  operationId: 'listRuns',
  summary: 'A page of the runs, open ones first.',
  roles: ['operator', 'approver', 'auditor'],
  query: {
    type: 'object',
    properties: {
      agent: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
      status: { enum: Object.keys(RUN_STATUSES) },
      limit: { type: 'string', pattern: '^([1-9][0-9]?|100)$', description: 'From 1 to 100. Default 20.' },
      page: {
        type: 'string',
        pattern: '^[A-Za-z0-9_-]+$',
        maxLength: 2000,
        description: 'nextPage of the page before.',
      },
    },
    additionalProperties: false,
  },
  answers: {
    200: {
      description: 'The runs, and nextPage when there may be more.',
      schema: {
        type: 'object',
        required: ['runs'],
        properties: {
          runs: {
            type: 'array',
            items: {
              type: 'object',
              required: ['runId', 'agent', 'status', 'startedAt'],
              properties: {
                runId: { type: 'string' },
                agent: { type: 'string' },
                status: { enum: [...Object.keys(RUN_STATUSES), 'unknown'] },
                startedAt: { type: 'string', format: 'date-time' },
                endedAt: { type: 'string', format: 'date-time' },
              },
            },
          },
          nextPage: { type: 'string' },
        },
      },
    },
  },
  refusals: [],
  handle: async ({ query: { limit, ...query } }, { client }) => {
    try {
      const body = await listRuns(client, { ...query, limit: Number(limit ?? DEFAULT_LIMIT) });
      return { status: 200, body };
    } catch (error) {
      if (!(error instanceof HoldfastError && error.code === 'invalid_config')) throw error;
      const errors = [{ in: 'query', detail: `page: ${error.message}` }] as const;
      throw new ApiRefusal('malformed_request', error.message, { errors });
    }
  },
});
