import { describe, expect, it, vi } from 'vitest';
import { decisionFor } from '../../src/client.js';
import type { ApprovalRequest } from '../../src/contract/decision.js';
import { LIMITS } from '../../src/contract/limits.js';
import { withAgent } from '../harness/agent.js';
import { failedWorkflowTasks, markers, scheduled } from '../harness/history.js';
import { Hold } from '../harness/hold.js';
import { effectTool } from '../harness/tools.js';
import { withApi, type Answered, type TestApi } from './harness.js';

const options = {
  customTools: [effectTool('effect', 'mutation')],
  script: [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, { text: 'done' }],
};

function decide({ ask }: TestApi, request: ApprovalRequest, as: 'approver' | 'all', body: object) {
  const { runId, requestKey, tool, argsDigest, schemaDigest } = request;
  const path = `/runs/${runId}/approvals/${requestKey}/decision`;
  return ask('POST', path, { tool, argsDigest, schemaDigest, decision: 'approve', ...body }, { as });
}

const said = ({ status, body, headers }: Answered) => [status, body.code, headers['retry-after']];

describe.concurrent('a flood of decisions', () => {
  it('by one token is 429 with the seconds to wait, reaches no run, and keeps out nobody else [api:auth] [hitl:stale]', async () => {
    await withAgent(options, (agent) =>
      withApi(
        agent.client,
        async (api) => {
          const request = await agent.request(await agent.start());
          const malformed = { decision: 'maybe' };
          for (let n = 0; n < LIMITS.requestsPerMinute; n += 1) {
            const { status } = await decide(api, request, 'approver', malformed);
            expect(status).toBe(422);
          }
          expect(said(await decide(api, request, 'approver', {}))).toEqual([429, 'rate_limited', '60']);
          expect(markers(await agent.history(request.runId), 'validateApproval')).toEqual([]);
          expect((await decide(api, request, 'all', {})).status).toBe(200);
          await agent.client.result(request.runId);
        },
        { now: () => 0 },
      ),
    );
  });

  it('about one run is 429 with the seconds to wait, and the run takes what it has in hand [api:http] [hitl:stale]', async () => {
    const hold = new Hold('validateApproval');
    await withAgent({ ...options, hold }, (agent) =>
      withApi(
        agent.client,
        async (api) => {
          const request = await agent.request(await agent.start());
          const bad = { decision: 'approve', approver: 'ann', argsDigest: 'f'.repeat(64) } as const;
          for (let n = 0; n < LIMITS.queuedDecisions; n += 1) {
            await agent.client.signalDecision(request.runId, { ...decisionFor(request, bad), ...bad });
          }
          await hold.reached();
          expect(said(await decide(api, request, 'approver', {}))).toEqual([429, 'too_many_decisions', '1']);
          hold.release();
          await vi.waitFor(
            async () => expect((await decide(api, request, 'approver', {})).status).toBe(200),
            { timeout: 40_000, interval: 200 },
          );
          await agent.client.result(request.runId);
          const events = await agent.history(request.runId);
          expect(markers(events, 'validateApproval')).toHaveLength(LIMITS.queuedDecisions + 1);
          expect(scheduled(events, 'executeTool')).toHaveLength(1);
          expect(failedWorkflowTasks(events)).toBe(0);
        },
        { answerMs: 60_000 },
      ),
    );
  });
});
