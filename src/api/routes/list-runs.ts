import { listRuns, RUN_STATUSES, type RunStatusName } from '../../runs/list-runs.js';
import { NAME_PROPERTY, pageAnswer, pageBy, pageQuery, type PageQuery } from '../page-query.js';
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
  query: pageQuery({ agent: NAME_PROPERTY, status: { enum: Object.keys(RUN_STATUSES) } }),
  answers: {
    200: pageAnswer(
      'The runs, and nextPage when there may be more.',
      ['runId', 'agent', 'status', 'startedAt'],
      {
        runId: { type: 'string' },
        agent: { type: 'string' },
        status: { enum: [...Object.keys(RUN_STATUSES), 'unknown'] },
        startedAt: { type: 'string', format: 'date-time' },
        endedAt: { type: 'string', format: 'date-time' },
      },
    ),
  },
  refusals: [],
  handle: async ({ query: { agent, status, ...page } }, { client }) => {
    const body = await pageBy(page, (wanted) => listRuns(client, { agent, status, ...wanted }));
    return { status: 200, body };
  },
});
