import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { timelineOf } from '../../src/audit/timeline.js';
import { decisionFor } from '../../src/client.js';
import type { ApprovalRequest } from '../../src/contract/decision.js';
import type { AgentOptions } from '../../src/registry/define-agent.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { failedWorkflowTasks, markers, scheduled, textsOf } from '../harness/history.js';
import { effectTool, failingTool } from '../harness/tools.js';

const approve = { decision: 'approve', approver: 'ada' } as const;
const effect = (line: string) => ({ tool: 'effect', args: { line } });
const one = (line: string) => [{ calls: [effect(line)] }, { text: 'done' }];
const gated = { customTools: [effectTool('effect', 'mutation')] };

/** A turn with a call of each kind: free, failing, refused, and five that wait for people. */
const TURN = {
  text: 'Several.',
  calls: [
    { tool: 'free', args: { line: 'A' } },
    { tool: 'failing', args: { n: 1 } },
    { tool: 'effect', args: {} },
    effect('approved'),
    effect('denied'),
    effect('edited'),
    effect('by two'),
    effect('edited by two'),
    { tool: 'free', args: { line: 'B' } },
  ],
};

const agentOf = (continueAfterEvents: number): Partial<AgentOptions> => ({
  customTools: [failingTool, effectTool('free', 'safe'), effectTool('effect', 'mutation')],
  approvals: { quorum: { mutation: 2 } },
  maxParallelCalls: 2,
  continueAfterEvents,
});

const waiting = (agent: TestAgent, runId: string, many: number): Promise<readonly ApprovalRequest[]> =>
  vi.waitFor(
    async () => {
      const pending = await agent.client.pending(runId);
      expect(pending).toHaveLength(many);
      return pending;
    },
    { timeout: 60_000, interval: 100 },
  );

async function lived(continueAfterEvents: number) {
  const script = [TURN, { calls: [effect('again')] }, { text: 'done' }];
  let seen: unknown;
  await withAgent({ ...agentOf(continueAfterEvents), script }, async (agent) => {
    const runId = await agent.start();
    const [approved, denied, edited, byTwo, editedByTwo] = await waiting(agent, runId, 5);
    if (!approved || !denied || !edited || !byTwo || !editedByTwo) throw new Error('five were expected');
    const decide = async (request: ApprovalRequest, approver: string, edit?: string) => {
      // As the request is by now: an edit changes what is decided about.
      const now = (await agent.client.pending(runId)).find((r) => r.requestKey === request.requestKey);
      if (!now) throw new Error('the request was expected to wait');
      const draft = edit === undefined ? approve : ({ decision: 'edit', args: { line: edit } } as const);
      expect(await agent.client.decide(runId, decisionFor(now, { ...draft, approver }))).toMatchObject({
        counted: true,
      });
    };
    await decide(approved, 'ada');
    await decide(edited, 'ada', 'edited once');
    await decide(editedByTwo, 'ada');
    await decide(editedByTwo, 'bob', 'edited twice');
    const deny = decisionFor(denied, { decision: 'deny', approver: 'ada', reason: 'no' });
    await agent.client.decide(runId, deny);
    await decide(byTwo, 'ada');
    await agent.redeploy();
    await decide(approved, 'bob');
    await decide(edited, 'bob');
    await decide(editedByTwo, 'ada');
    await decide(byTwo, 'bob');
    const [last] = await vi.waitFor(
      async () => {
        const pending = await agent.client.pending(runId);
        expect(pending.map(({ call }) => call.turn)).toEqual([1]);
        return pending;
      },
      { timeout: 60_000, interval: 100 },
    );
    if (!last) throw new Error('a request was expected');
    await decide(last, 'ada');
    await decide(last, 'bob');
    const result = await agent.client.result(runId);
    const histories = await agent.histories(runId);
    for (const history of histories) expect(failedWorkflowTasks(history)).toBe(0);
    const { turns, unreadable } = timelineOf(histories.flatMap(({ events }) => events ?? []));
    expect(unreadable).toEqual([]);
    const of = (type: string) => histories.flatMap((history) => markers(history, type)).length;
    const ran = histories.flatMap((history) => scheduled(history, 'executeTool'));
    seen = {
      executions: histories.length,
      told: {
        status: result.status,
        budget: result.budget,
        calls: result.calls,
        messages: agent.model.requests.at(-1)?.messages,
        ran: ran.map(({ input }) => JSON.stringify((input as { args: object }).args)).toSorted(),
        checked: [of('validateToolCall'), of('guardPaths'), of('validateApproval')],
        outcomes: turns.map(({ calls }) => calls.map(({ outcome }) => outcome?.status)),
      },
    };
  });
  return seen as { readonly executions: number; readonly told: object };
}

describe('a run that continues as new within a turn', () => {
  it('ends as one that does not: each call checked once, run once, with one result [run:continue-as-new] [hitl:quorum] [hitl:edit-told]', async () => {
    const whole = await lived(8000);
    const cut = await lived(1);
    expect(whole.executions).toBe(1);
    expect(cut.executions).toBeGreaterThan(15);
    expect(cut.told).toEqual(whole.told);
  }, 240_000);

  it('keeps its requests: the key, the time of expiry and the place in the inbox are those of before [run:continue-as-new] [hitl:durable]', async () => {
    await withAgent({ ...gated, continueAfterEvents: 30, script: one('x') }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      for (let n = 0; n < 20; n += 1) {
        await agent.client.temporal.workflow.getHandle(runId).signal('approval', { n });
      }
      await vi.waitFor(
        async () => {
          expect((await agent.client.status(runId)).continuations).toBeGreaterThan(0);
        },
        { timeout: 30_000, interval: 100 },
      );
      expect(await agent.client.pending(runId)).toEqual([request]);
      const { memo } = await agent.client.temporal.workflow.getHandle(runId).describe();
      expect(JSON.stringify(memo)).toContain(request.requestKey);
      expect(await agent.client.decide(runId, decisionFor(request, approve))).toMatchObject({
        counted: true,
      });
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', calls: 1 });
    });
  });

  it('outlives decisions that are worth nothing, however large and many: none counts, and a good one does [run:continue-as-new] [run:payloads] [hitl:refused-decision]', async () => {
    await withAgent({ ...gated, script: one('x') }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      const jws = `a.${'b'.repeat(400_000)}.c`;
      for (let n = 0; n < 50; n += 1) {
        await agent.client.temporal.workflow
          .getHandle(runId)
          .executeUpdate('decideApproval', { args: [{ jws }] });
      }
      const histories = await agent.histories(runId);
      expect(histories.length).toBeGreaterThan(1);
      for (const history of histories) {
        const bytes = textsOf(history).reduce((sum, text) => sum + text.length, 0);
        expect(bytes).toBeLessThan(9_000_000);
      }
      expect(await agent.client.pending(runId)).toEqual([request]);
      await agent.client.decide(runId, decisionFor(request, approve));
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', calls: 1 });
    });
  });

  it('takes more updates than the server takes of one execution [run:continue-as-new]', async () => {
    await withAgent({ ...gated, script: one('x') }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      const handle = agent.client.temporal.workflow.getHandle(runId);
      for (let n = 0; n < 70; n += 1) {
        await Promise.all(
          Array.from({ length: 8 }, () => handle.executeUpdate('decideApproval', { args: [{ n }] })),
        );
      }
      expect((await agent.client.status(runId)).continuations).toBeGreaterThan(0);
      await agent.client.decide(runId, decisionFor(request, approve));
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', calls: 1 });
    });
  }, 120_000);

  it('asks anew after a reset of the successor: the old decision never counts again [hitl:decision] [run:continue-as-new]', async () => {
    await withAgent({ ...gated, continueAfterEvents: 1, script: one('x') }, async (agent) => {
      const runId = await agent.start();
      const request = await vi.waitFor(
        async () => {
          const found = await agent.request(runId);
          const histories = await agent.histories(runId);
          expect(histories.at(-1)?.events?.some((e) => e.workflowTaskCompletedEventAttributes)).toBe(true);
          return found;
        },
        { timeout: 30_000, interval: 100 },
      );
      const before = await agent.history(runId);
      const task = before.events?.find((e) => e.workflowTaskCompletedEventAttributes)?.eventId;
      await agent.client.temporal.workflowService.resetWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: runId },
        reason: 'test',
        workflowTaskFinishEventId: task ?? null,
        requestId: randomUUID(),
      });
      const anew = await vi.waitFor(
        async () => {
          const found = await agent.request(runId);
          expect(found.requestKey).not.toBe(request.requestKey);
          return found;
        },
        { timeout: 30_000, interval: 100 },
      );
      expect(await agent.client.decide(runId, decisionFor(request, approve))).toMatchObject({
        counted: false,
        code: 'unknown_request',
      });
      await agent.client.decide(runId, decisionFor(anew, { decision: 'deny', approver: 'ada' }));
      await agent.client.result(runId);
      expect(scheduled(await agent.history(runId), 'executeTool')).toEqual([]);
    });
  });
});
