import { listRuns, RUN_STATUSES, type RunStatusName } from '../../runs/list-runs.js';
import { NAME_PROPERTY, PAGE_PROPERTIES, pageBy, type PageQuery } from '../page-query.js';
import { route } from '../route.js';

interface ListQuery extends PageQuery {
  readonly agent?: string;
  readonly status?: RunStatusName;
}

export const listRunsRoute = route<unknown, ListQuery>({
  method: 'GET',
  path: '/runs',
  operationId: 'listRuns',
  summary: 'A page of the runs, open ones first.',
  roles: ['operator', 'approver', 'auditor'],
  query: {
    type: 'object',
    properties: {
      agent: NAME_PROPERTY,
      status: { enum: Object.keys(RUN_STATUSES) },
      ...PAGE_PROPERTIES,
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
  handle: async ({ query: { agent, status, ...page } }, { client }) => {
    const body = await pageBy(page, (wanted) => listRuns(client, { agent, status, ...wanted }));
    return { status: 200, body };
  },
});
