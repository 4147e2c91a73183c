import { describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../src/contract/events.js';
import type { ApprovalRequest } from '../../src/contract/decision.js';
import { withAgent, type TestAgent, type TestAgentOptions } from '../harness/agent.js';
import { markers, scheduled } from '../harness/history.js';
import { Hold } from '../harness/hold.js';
import { effectTool } from '../harness/tools.js';
import { withApi, type Answered, type TestApi } from './harness.js';

/** For what a busy machine does. */
const PATIENCE = { timeout: 40_000, interval: 200 };

const said = ({ status, body }: Answered) => [status, body.code];

function pendingOf(agent: TestAgent, runId: string, count: number): Promise<readonly ApprovalRequest[]> {
  return vi.waitFor(async () => {
    const pending = await agent.client.pending(runId);
    expect(pending).toHaveLength(count);
    return pending;
  }, PATIENCE);
}

function decide({ ask }: TestApi, request: ApprovalRequest, body: object): Promise<Answered> {
  const { runId, requestKey, tool, argsDigest, schemaDigest } = request;
  const path = `/runs/${runId}/approvals/${requestKey}/decision`;
  return ask('POST', path, { tool, argsDigest, schemaDigest, ...body }, { as: 'approver' });
}

/** What was accepted by every check of its own: the run alone said no, after that, and whoever follows it learns so. */
async function expectAccepted(agent: TestAgent, runId: string): Promise<void> {
  const history = await agent.history(runId);
  const told: RunEvent[] = [];
  for await (const event of agent.client.follow(runId)) told.push(event);
  expect(told.filter(({ type }) => /decided|refused/.test(type))).toMatchObject([
    {
      type: 'approval_refused',
      code: 'request_withdrawn',
      approver: 'approver',
      call: { turn: 0, index: 0 },
    },
  ]);
  expect(markers(history, 'validateApproval')).toMatchObject([{ result: { accepted: true } }]);
  expect(scheduled(history, 'executeTool')).toEqual([]);
}

describe.concurrent('a decision that is right, but does not count any more', () => {
  it('is told as 409 when the run was cancelled while it was judged [api:http] [hitl:stale] [run:control]', async () => {
    const hold = new Hold('validateApproval');
    const script = [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }];
    await withAgent({ customTools: [effectTool('effect', 'mutation')], script, hold }, (agent) =>
      withApi(
        agent.client,
        async (api) => {
          const runId = await agent.start();
          const answer = decide(api, await agent.request(runId), { decision: 'approve' });
          await hold.reached();
          await api.ask('POST', `/runs/${runId}/cancel`);
          await pendingOf(agent, runId, 0);
          hold.release();
          expect(said(await answer)).toEqual([409, 'request_withdrawn']);
          await expect(agent.client.result(runId)).rejects.toThrow(/cancelled/i);
          await expectAccepted(agent, runId);
        },
        { answerMs: 60_000 },
      ),
    );
  });

  it('is told as 409 when a budget was used up while it was judged [api:http] [hitl:stale] [budget:exhausted]', async () => {
    const hold = new Hold('validateApproval');
    const options: TestAgentOptions = {
      customTools: [effectTool('effect', 'mutation')],
      script: [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, { text: 'done' }],
      budgets: { maxWallClockMs: 10_000 },
      hold,
    };
    await withAgent(options, (agent) =>
      withApi(
        agent.client,
        async (api) => {
          const runId = await agent.start();
          const answer = decide(api, await agent.request(runId), { decision: 'approve' });
          await hold.reached();
          await pendingOf(agent, runId, 0);
          hold.release();
          expect(said(await answer)).toEqual([409, 'request_withdrawn']);
          expect(await agent.client.result(runId)).toMatchObject({ status: 'budget_exhausted' });
          await expectAccepted(agent, runId);
        },
        { answerMs: 60_000 },
      ),
    );
  });

  it('is told as 413 when with its edit too much would wait for others, also when it is sent again [api:http] [hitl:quorum] [run:payloads]', async () => {
    const calls = ['a', 'b', 'c', 'd', 'e'].map((line) => ({ tool: 'effect', args: { line } }));
    const options: TestAgentOptions = {
      customTools: [effectTool('effect', 'mutation', { parallel: true })],
      script: [{ calls }, { text: 'done' }],
      approvals: { quorum: { mutation: 2 } },
    };
    await withAgent(options, (agent) =>
      withApi(agent.client, async (api) => {
        const runId = await agent.start();
        const pending = await pendingOf(agent, runId, 5);
        const line = 'x'.repeat(250_000);
        const edit = (request: ApprovalRequest) =>
          decide(api, request, { decision: 'edit', args: { line }, decisionId: request.requestKey });
        const [last, ...others] = pending.toReversed();
        if (!last) throw new Error('no request');
        for (const request of others) expect((await edit(request)).body).toMatchObject({ remaining: 1 });
        // Four of these are the most that may wait at once.
        const refused = await edit(last);
        expect([...said(refused), refused.body.detail]).toEqual([
          413,
          'decision_too_large',
          expect.stringContaining('too much would wait'),
        ]);
        expect(said(await edit(last))).toEqual([413, 'decision_too_large']);
        const { result } = markers(await agent.history(runId), 'validateApproval')[4] ?? {};
        expect(result).toMatchObject({ accepted: true, decision: { decisionId: last.requestKey } });
        const found = (await pendingOf(agent, runId, 5)).find((r) => r.requestKey === last.requestKey);
        expect(found).toEqual(last);
        expect((await decide(api, last, { decision: 'approve' })).body).toMatchObject({ remaining: 1 });
        await agent.client.cancel(runId);
      }),
    );
  });
});
