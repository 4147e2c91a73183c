import { CancelledFailure } from '@temporalio/common';
import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it, vi } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { defineTool } from '../../src/registry/define-tool.js';
import { timelineOf } from '../../src/audit/timeline.js';
import type { HoldfastActivities } from '../../src/contract/activities.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { Hold } from '../harness/hold.js';
import { effectTool, failingTool } from '../harness/tools.js';
import { failedWorkflowTasks, markers, scheduled } from '../harness/history.js';

async function expectCancelled(agent: TestAgent, runId: string): Promise<void> {
  const error = await agent.client.result(runId).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(WorkflowFailedError);
  expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
  const status = await agent.client.status(runId);
  expect(status).toMatchObject({ phase: 'ended', pending: [], budget: { errors: 0 } });
  expect(failedWorkflowTasks(await agent.history(runId))).toBe(0);
}

/** How each call ended, as the history tells it. */
async function outcomes(agent: TestAgent, runId: string): Promise<readonly (string | undefined)[]> {
  const { turns } = timelineOf((await agent.history(runId)).events ?? []);
  return turns.flatMap((turn) => turn.calls.map(({ outcome }) => outcome?.status));
}

describe('a cancelled run', () => {
  it('records a tool that ended well all the same as ok, since its effect stands [outcome:status]', async () => {
    let started = false;
    const finishing = defineTool(
      {
        name: 'finishing',
        description: 'Ends what it began.',
        riskLevel: 'safe',
        heartbeatMs: 1000,
        parameters: { type: 'object' },
      },
      (_args, { signal }) =>
        new Promise<string>((resolve) => {
          started = true;
          signal.addEventListener('abort', () => {
            resolve('written');
          });
        }),
    );
    await withAgent(
      { customTools: [finishing], script: [{ calls: [{ tool: 'finishing', args: {} }] }] },
      async (agent) => {
        const runId = await agent.start();
        await vi.waitUntil(() => started, { timeout: 30_000 });
        await agent.client.cancel(runId);
        await expectCancelled(agent, runId);
        const completed = (await agent.history(runId)).events?.filter(
          (e) => e.activityTaskCompletedEventAttributes,
        );
        // prepareRun, callModel and the tool.
        expect(completed).toHaveLength(3);
      },
    );
  });

  it('leaves no request pending and refuses a late decision [run:control] [outcome:status]', async () => {
    const script = [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }];
    await withAgent({ customTools: [effectTool('effect', 'mutation')], script }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      await agent.client.cancel(runId);
      await expectCancelled(agent, runId);
      const late = await agent.client.decide(
        runId,
        decisionFor(request, { decision: 'approve', approver: 'ada' }),
      );
      expect(late).toMatchObject({ counted: false, code: 'run_closed' });
      const events = await agent.history(runId);
      expect(scheduled(events, 'executeTool')).toEqual([]);
      expect(scheduled(events, 'callModel')).toHaveLength(1);
    });
  });

  it('reaches the abort signal of a running tool [run:control]', async () => {
    const seen = { started: false, aborted: false };
    const waiting = defineTool(
      {
        name: 'waiting',
        description: 'Waits until it is told to stop.',
        riskLevel: 'safe',
        heartbeatMs: 1000,
        parameters: { type: 'object' },
      },
      (_args, { signal }) =>
        new Promise<string>((resolve) => {
          seen.started = true;
          signal.addEventListener('abort', () => {
            seen.aborted = true;
            resolve('stopped');
          });
        }),
    );
    await withAgent(
      { customTools: [waiting], script: [{ calls: [{ tool: 'waiting', args: {} }] }] },
      async (agent) => {
        const runId = await agent.start();
        await vi.waitUntil(() => seen.started, { timeout: 30_000 });
        await agent.client.cancel(runId);
        await expectCancelled(agent, runId);
        expect(seen.aborted).toBe(true);
        expect(scheduled(await agent.history(runId), 'callModel')).toHaveLength(1);
      },
    );
  });

  it.each(['fail', 'conclude', 'pause'] as const)(
    'is no run that failed, though a budget was used up while its tool ran and its agent says %s [run:control] [budget:exhausted]',
    async (onExhausted) => {
      let started = false;
      const waiting = defineTool(
        {
          name: 'waiting',
          description: 'Waits until it is told to stop.',
          riskLevel: 'safe',
          heartbeatMs: 1000,
          parallel: true,
          parameters: { type: 'object' },
        },
        (_args, { signal }) =>
          new Promise<string>((_resolve, reject) => {
            started = true;
            signal.addEventListener('abort', () => reject(new Error('stopped')));
          }),
      );
      const calls = [
        { tool: 'waiting', args: {} },
        { tool: 'failing', args: {} },
      ];
      const budgets = { maxErrors: 1, onExhausted };
      await withAgent(
        { customTools: [waiting, failingTool], budgets, script: [{ calls }] },
        async (agent) => {
          const runId = await agent.start();
          await vi.waitFor(
            async () => expect((await agent.client.status(runId)).exhausted).toBe('maxErrors'),
            { timeout: 30_000, interval: 50 },
          );
          await vi.waitUntil(() => started, { timeout: 30_000 });
          await agent.client.cancel(runId);
          const error = await agent.client.result(runId).catch((cause: unknown) => cause);
          expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
          expect(await outcomes(agent, runId)).toEqual(['cancelled', 'error']);
          expect(scheduled(await agent.history(runId), 'callModel')).toHaveLength(1);
        },
      );
    },
  );

  it('ends a model call that is under way [run:control]', async () => {
    let started = false;
    const script = [
      ({ signal }: { signal: AbortSignal }) =>
        new Promise<never>((_resolve, reject) => {
          started = true;
          signal.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        }),
    ];
    await withAgent({ script }, async (agent) => {
      const runId = await agent.start();
      await vi.waitUntil(() => started, { timeout: 30_000 });
      await agent.client.cancel(runId);
      await expectCancelled(agent, runId);
      expect(scheduled(await agent.history(runId), 'executeTool')).toEqual([]);
    });
  });
});

// A check keeps its workflow task open, so a cancellation is seen when the server is told that it goes on.
describe.concurrent('a run that is cancelled while nothing of it ends by itself', () => {
  it.each<{ what: string; held: keyof HoldfastActivities; ended: readonly string[] }>([
    { what: 'its preparation', held: 'prepareRun', ended: [] },
    { what: 'a model call', held: 'callModel', ended: [] },
    { what: 'validation', held: 'validateToolCall', ended: ['cancelled'] },
    { what: 'the guard', held: 'guardPaths', ended: ['cancelled'] },
  ])(
    'ends at once in $what, which it does not wait for, and runs no tool [run:control] [outcome:status] [audit:timeline]',
    async ({ held, ended }) => {
      const hold = new Hold(held);
      const script = [{ calls: [{ tool: 'free', args: { line: 'x' } }] }];
      await withAgent({ customTools: [effectTool('free', 'safe')], script, hold }, async (agent) => {
        const runId = await agent.start();
        await hold.reached();
        await agent.client.cancel(runId);
        await expectCancelled(agent, runId);
        expect(await outcomes(agent, runId)).toEqual(ended);
        expect(scheduled(await agent.history(runId), 'executeTool')).toEqual([]);
      });
    },
  );

  it('ends when the decision at hand is judged, which comes too late to count [run:control] [hitl:stale]', async () => {
    const hold = new Hold('validateApproval');
    const script = [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }];
    await withAgent({ customTools: [effectTool('effect', 'mutation')], script, hold }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      const answer = agent.client.decide(
        runId,
        decisionFor(request, { decision: 'approve', approver: 'ada' }),
      );
      await hold.reached();
      await agent.client.cancel(runId);
      // Seen by the workflow itself: it may learn it after the history holds it.
      await vi.waitFor(async () => expect(await agent.client.pending(runId)).toEqual([]), {
        timeout: 40_000,
        interval: 200,
      });
      hold.release();
      expect(await answer).toMatchObject({ counted: false, code: 'request_withdrawn' });
      await expectCancelled(agent, runId);
      expect(await outcomes(agent, runId)).toEqual(['cancelled']);
      const history = await agent.history(runId);
      expect(markers(history, 'validateApproval')).toHaveLength(1);
      expect(scheduled(history, 'executeTool')).toEqual([]);
    });
  });

  it('gives each call of a turn one end: those that run, wait for their turn, or wait for a person [run:control] [outcome:status]', async () => {
    const aborted: string[] = [];
    const started: string[] = [];
    const waiting = (name: string, parallel: boolean) =>
      defineTool(
        {
          name,
          description: 'Waits until it is told to stop.',
          riskLevel: 'safe',
          heartbeatMs: 1000,
          parallel,
          repeatable: true,
          parameters: { type: 'object' },
        },
        (_args, { signal }) =>
          new Promise<string>((_resolve, reject) => {
            started.push(name);
            signal.addEventListener('abort', () => {
              aborted.push(name);
              reject(new Error('stopped'));
            });
          }),
      );
    const customTools = [
      waiting('serial', false),
      waiting('parallel', true),
      effectTool('effect', 'mutation'),
      effectTool('free', 'safe', { parallel: true }),
    ];
    const calls = [
      { tool: 'free', args: { line: 'x' } },
      { tool: 'serial', args: {} },
      { tool: 'serial', args: {} },
      { tool: 'parallel', args: {} },
      { tool: 'effect', args: { line: 'y' } },
    ];
    await withAgent({ customTools, script: [{ calls }] }, async (agent) => {
      const runId = await agent.start();
      await agent.request(runId);
      await vi.waitUntil(() => started.length === 2, { timeout: 30_000 });
      await vi.waitFor(async () => expect((await agent.client.status(runId)).calls).toBe(1), {
        timeout: 30_000,
      });
      await agent.client.cancel(runId);
      await expectCancelled(agent, runId);
      expect(aborted.toSorted()).toEqual(['parallel', 'serial']);
      expect(await outcomes(agent, runId)).toEqual([
        'ok',
        'cancelled',
        'cancelled',
        'cancelled',
        'cancelled',
      ]);
      expect(await agent.client.status(runId)).toMatchObject({ calls: 5 });
      expect(scheduled(await agent.history(runId), 'executeTool')).toHaveLength(3);
    });
  });
});
