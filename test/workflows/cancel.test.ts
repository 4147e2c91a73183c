import { CancelledFailure } from '@temporalio/common';
import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it, vi } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { defineTool } from '../../src/registry/define-tool.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { scheduled } from '../harness/history.js';

async function expectCancelled(agent: TestAgent, runId: string): Promise<void> {
  const error = await agent.client.result(runId).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(WorkflowFailedError);
  expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
  const status = await agent.client.status(runId);
  expect(status).toMatchObject({ phase: 'ended', pending: [], budget: { errors: 0 } });
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
