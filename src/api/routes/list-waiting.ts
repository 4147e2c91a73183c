import { RISK_LEVELS, type RiskLevel } from '../../contract/tool.js';
import { listWaiting } from '../../inbox/list-waiting.js';
import { NAME_PROPERTY, pageAnswer, pageBy, pageQuery, type PageQuery } from '../page-query.js';
import { route } from '../route.js';

interface WaitingQuery extends PageQuery {
  readonly agent?: string;
  readonly tool?: string;
  readonly risk?: RiskLevel;
}

const COUNT = { type: 'integer', minimum: 0 };

export const listWaitingRoute = route<unknown, WaitingQuery>({
  method: 'GET',
  path: '/approvals',
  operationId: 'listWaiting',
  summary:
    'A page of the runs in which something waits for people, without arguments. No run is asked, and no worker need live.',
  roles: ['operator', 'approver', 'auditor'],
  query: pageQuery({
    agent: NAME_PROPERTY,
    tool: { ...NAME_PROPERTY, description: 'Runs in which a request for this tool waits.' },
    risk: { enum: [...RISK_LEVELS], description: 'Runs in which a request of this level waits.' },
  }),
  answers: {
    200: pageAnswer(
      'The runs, each with its oldest requests and how many wait, and nextPage when there may be more.',
      ['runId', 'agent', 'count', 'requests'],
      {
        runId: { type: 'string' },
        agent: { type: 'string' },
        count: COUNT,
        requests: {
          type: 'array',
          items: {
            type: 'object',
            required: ['requestKey', 'call', 'tool', 'riskLevel', 'requestedAt', 'expiresAt'],
            properties: {
              requestKey: { type: 'string' },
              call: { type: 'object' },
              tool: { type: 'string' },
              riskLevel: { enum: [...RISK_LEVELS] },
              requestedAt: { type: 'number' },
              expiresAt: { type: 'number' },
              escalatedAt: { type: 'number' },
              quorum: COUNT,
              approved: COUNT,
            },
          },
        },
      },
    ),
  },
  refusals: [],
  handle: async ({ query: { agent, tool, risk: riskLevel, ...page } }, { client }) => {
    const body = await pageBy(page, (wanted) => listWaiting(client, { agent, tool, riskLevel, ...wanted }));
    return { status: 200, body };
  },
});
