import { describe, expect, it, vi } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { LIMITS } from '../../src/contract/limits.js';
import { listWaiting, type WaitingOptions } from '../../src/inbox/list-waiting.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { failedWorkflowTasks } from '../harness/history.js';
import { effectTool } from '../harness/tools.js';

const PATIENCE = { timeout: 30_000, interval: 50 };
const SECRET = 'never in a list';
const call = (tool: string) => ({ tool, args: { line: SECRET } });

function waiting(agent: TestAgent, options: Partial<WaitingOptions> = {}) {
  return listWaiting(agent.client, { agent: agent.name, limit: 10, ...options });
}

/** The server's list follows a run by some milliseconds. */
function eventually(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, PATIENCE);
}

describe('the inbox', () => {
  it('lists what waits without arguments, by tool and by risk, and without a worker [hitl:durable] [events:no-args]', async () => {
    const options = {
      customTools: [effectTool('append', 'mutation'), effectTool('wipe', 'destructive')],
      script: [{ calls: [call('append')] }, { calls: [call('wipe')] }, { text: 'done' }],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      await agent.redeploy({}, async () => {
        const { requestKey, requestedAt, expiresAt } = request;
        const listed = {
          runId,
          agent: agent.name,
          count: 1,
          requests: [
            {
              requestKey,
              call: { turn: 0, index: 0 },
              tool: 'append',
              riskLevel: 'mutation',
              requestedAt,
              expiresAt,
            },
          ],
        };
        await eventually(async () => expect(await waiting(agent)).toEqual({ runs: [listed] }));
        expect(await waiting(agent, { tool: 'append', riskLevel: 'mutation' })).toEqual({ runs: [listed] });
        expect((await waiting(agent, { tool: 'wipe' })).runs).toEqual([]);
        expect((await waiting(agent, { riskLevel: 'destructive' })).runs).toEqual([]);
        expect((await waiting(agent, { agent: 'another' })).runs).toEqual([]);
      });
      await agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'ada' }));
      await agent.request(runId);
      await eventually(async () =>
        expect((await waiting(agent, { tool: 'wipe', riskLevel: 'destructive' })).runs).toHaveLength(1),
      );
      expect((await waiting(agent, { tool: 'append' })).runs).toEqual([]);
      const second = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(second, { decision: 'deny', approver: 'ada' }));
      await agent.client.result(runId);
      await eventually(async () => expect((await waiting(agent)).runs).toEqual([]));
      const history = await agent.history(runId);
      expect(failedWorkflowTasks(history)).toBe(0);
      const published = history.events?.filter(
        (event) =>
          event.workflowPropertiesModifiedEventAttributes ??
          event.upsertWorkflowSearchAttributesEventAttributes,
      );
      expect(published).not.toEqual([]);
      for (const event of published ?? [])
        expect(Buffer.from(JSON.stringify(event)).toString()).not.toContain(SECRET);
    });
  });

  it('says how many more wait than it lists, and how many approvals are missing [hitl:parallel] [hitl:quorum]', async () => {
    const count = LIMITS.summarisedRequests + 2;
    const calls = Array.from({ length: count }, () => call('append'));
    const options = {
      customTools: [effectTool('append', 'mutation', { parallel: true, repeatable: true })],
      script: [{ calls }, { text: 'done' }],
      maxParallelCalls: count,
      approvals: { quorum: { mutation: 2 } },
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      await vi.waitFor(async () => expect(await agent.client.pending(runId)).toHaveLength(count), PATIENCE);
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'ada' }));
      await eventually(async () => {
        const [run] = (await waiting(agent)).runs;
        expect(run?.count).toBe(count);
        expect(run?.requests).toHaveLength(LIMITS.summarisedRequests);
        expect(run?.requests.slice(0, 2)).toMatchObject([
          { quorum: 2, approved: 1 },
          { quorum: 2, approved: 0 },
        ]);
      });
      await agent.client.cancel(runId);
    });
  });

  it('gives pages, and refuses one that the server did not give [api:cli]', async () => {
    const options = {
      customTools: [effectTool('append', 'mutation')],
      script: [{ calls: [call('append')] }, { text: 'done' }],
    };
    await withAgent(options, async (agent) => {
      const runs = [await agent.start(), await agent.start(), await agent.start()];
      await eventually(async () => expect((await waiting(agent)).runs).toHaveLength(3));
      const seen: string[] = [];
      for (let page: string | undefined; ;) {
        const found = await waiting(agent, { limit: 2, page });
        seen.push(...found.runs.map(({ runId }) => runId));
        page = found.nextPage;
        if (page === undefined) break;
      }
      expect(seen.toSorted()).toEqual(runs.toSorted());
      await expect(waiting(agent, { page: 'bm9uc2Vuc2U' })).rejects.toMatchObject({ code: 'invalid_config' });
      for (const runId of runs) await agent.client.cancel(runId);
    });
  });
});
