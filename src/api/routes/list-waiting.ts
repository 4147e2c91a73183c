import { HoldfastError } from '../../contract/error-codes.js';
import { RISK_LEVELS, type RiskLevel } from '../../contract/tool.js';
import { listWaiting } from '../../inbox/list-waiting.js';
import { ApiRefusal } from '../problem.js';
import { route } from '../route.js';

interface WaitingQuery {
  readonly agent?: string;
  readonly tool?: string;
  readonly risk?: RiskLevel;
  readonly limit?: string;
  readonly page?: string;
}

const DEFAULT_LIMIT = 50;
const NAME = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
const COUNT = { type: 'integer', minimum: 0 };

export const listWaitingRoute = route<unknown, WaitingQuery>({
  method: 'GET',
  path: '/approvals',
  operationId: 'listWaiting',
  summary:
    'A page of the runs in which something waits for people, without arguments. No run is asked, and no worker need live.',
  roles: ['operator', 'approver', 'auditor'],
  query: {
    type: 'object',
    properties: {
      agent: NAME,
      tool: { ...NAME, description: 'Runs in which a request for this tool waits.' },
      risk: { enum: [...RISK_LEVELS], description: 'Runs in which a request of this level waits.' },
      limit: {
        type: 'string',
        pattern: '^([1-9][0-9]?|100)$',
        description: 'Runs, from 1 to 100. Default 50.',
      },
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
      description:
        'The runs, each with its oldest requests and how many wait, and nextPage when there may be more.',
      schema: {
        type: 'object',
        required: ['runs'],
        properties: {
          runs: {
            type: 'array',
            items: {
              type: 'object',
              required: ['runId', 'agent', 'count', 'requests'],
              properties: {
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
                      quorum: COUNT,
                      approved: COUNT,
                    },
                  },
                },
              },
            },
          },
          nextPage: { type: 'string' },
        },
      },
    },
  },
  refusals: [],
  handle: async ({ query: { limit, risk, ...query } }, { client }) => {
    try {
      const options = { ...query, riskLevel: risk, limit: Number(limit ?? DEFAULT_LIMIT) };
      return { status: 200, body: await listWaiting(client, options) };
    } catch (error) {
      if (!(error instanceof HoldfastError && error.code === 'invalid_config')) throw error;
      const errors = [{ in: 'query', detail: `page: ${error.message}` }] as const;
      throw new ApiRefusal('malformed_request', error.message, { errors });
    }
  },
});
