import type { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it, vi } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { taskQueueOf } from '../../src/contract/names.js';
import type { StartRequest } from '../../src/contract/manifest.js';
import { withAgent } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { scheduled } from '../harness/history.js';

const refusedStarts = [
  { what: 'a cwd', request: { cwd: null }, code: 'cwd_not_permitted' },
  { what: 'an unknown member', request: { workspace: '/' }, code: 'invalid_start' },
  { what: 'more budget', request: { budgets: { maxErrors: 11 } }, code: 'surface_widened' },
  {
    what: 'a repeat guard that never stops a call',
    request: { budgets: { maxRepeats: 21 } },
    code: 'invalid_start',
  },
  { what: 'another end of the budget', request: { budgets: { onExhausted: 'fail' } }, code: 'invalid_start' },
  { what: 'a tool that is not enabled', request: { tools: ['read', 'edit'] }, code: 'surface_widened' },
  { what: 'a tool that does not exist', request: { tools: ['raed'] }, code: 'unknown_tool_name' },
  { what: 'an exclusion that does not exist', request: { excludeTools: ['x'] }, code: 'unknown_tool_name' },
  { what: 'a list that is none', request: { tools: 'read' }, code: 'invalid_start' },
  { what: 'a prompt of 300 KiB', request: { prompt: 'x'.repeat(300 * 1024) }, code: 'invalid_start' },
  { what: 'no prompt', request: { prompt: '  ' }, code: 'invalid_start' },
] as const;

describe('a start', () => {
  it.each(refusedStarts)(
    'with $what is refused by its code before any model call [path:workspace] [surface:narrow-only] [surface:unknown-name]',
    async (c) => {
      await withAgent({ script: [] }, async (agent) => {
        const request = { agent: agent.name, prompt: 'x', ...c.request } as StartRequest;
        const runId = await agent.client.start(request);
        const error = await agent.client.result(runId).catch((cause: unknown) => cause);
        expect((error as WorkflowFailedError).cause).toMatchObject({ type: `holdfast.${c.code}` });
        expect(scheduled(await agent.history(runId), 'callModel')).toEqual([]);
      });
    },
  );

  it('may narrow the surface, the budgets and what runs unasked [surface:narrow-only] [surface:allow] [risk:require-approval-for]', async () => {
    const failing = { calls: [{ tool: 'read', args: { path: 'nope' } }] };
    const free = { calls: [{ tool: 'free', args: { line: 'x' } }] };
    const options = {
      customTools: [effectTool('free', 'safe'), effectTool('other', 'safe')],
      script: [free, { calls: [{ tool: 'other', args: { line: 'y' } }] }, failing, { text: 'over' }],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.client.start({
        agent: agent.name,
        prompt: 'x',
        excludeTools: ['grep', 'other'],
        budgets: { maxErrors: 2 },
        requireApprovalFor: ['free'],
      });
      const request = await agent.request(runId);
      expect(request).toMatchObject({ tool: 'free', riskLevel: 'safe', grantable: false });
      await agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'ada' }));
      expect(await agent.client.result(runId)).toMatchObject({
        exhausted: 'maxErrors',
        budget: { errors: 2 },
      });
      expect(agent.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['read', 'find', 'ls', 'free']);
      const ran = scheduled(await agent.history(runId), 'executeTool').map(
        ({ input }) => (input as { tool: string }).tool,
      );
      expect(ran).toEqual(['free', 'read']);
    });
  });

  it('under the id of an earlier run is refused and leaves that one alone', async () => {
    await withAgent({ script: [{ text: 'done' }] }, async (agent) => {
      const runId = await agent.start();
      await agent.client.result(runId);
      await expect(agent.client.start({ agent: agent.name, prompt: 'again' }, runId)).rejects.toThrow(
        /already/iu,
      );
      expect((await agent.client.result(runId)).text).toBe('done');
    });
  });

  it('for an agent that the worker does not hold fails by name', async () => {
    await withAgent({ script: [] }, async (agent) => {
      const handle = await agent.client.temporal.workflow.start('agentRun', {
        workflowId: `${agent.name}-stranger`,
        taskQueue: taskQueueOf(agent.name),
        args: [{ request: { agent: 'nobody', prompt: 'x' } }],
      });
      const error = await handle.result().catch((cause: unknown) => cause);
      expect((error as WorkflowFailedError).cause).toMatchObject({ type: 'holdfast.unknown_agent' });
    });
  });

  it('cannot bring a state of its own: grants, budgets and manifest come from the server [surface:narrow-only] [risk:pinned]', async () => {
    const options = { customTools: [effectTool('effect', 'mutation')], script: [{ text: 'done' }] };
    await withAgent(options, async (agent) => {
      const honest = await agent.start();
      await agent.client.result(honest);
      const state = await agent.client.status(honest);
      const prepared = { manifest: { tools: [] }, manifestDigest: state.manifestDigest };
      const handle = await agent.client.temporal.workflow.start('agentRun', {
        workflowId: `${agent.name}-forger`,
        taskQueue: taskQueueOf(agent.name),
        args: [{ request: { agent: agent.name, prompt: 'x' }, carried: { prepared, state } }],
      });
      const error = await handle.result().catch((cause: unknown) => cause);
      expect((error as WorkflowFailedError).cause).toMatchObject({ type: 'holdfast.invalid_start' });
      expect(scheduled(await agent.history(handle.workflowId))).toEqual([]);
    });
  });

  it('by a schedule or with retries is refused: a second execution has a predecessor without being one [surface:narrow-only]', async () => {
    await withAgent(
      { customTools: [effectTool('effect', 'mutation')], script: [{ text: 'done' }] },
      async (agent) => {
        const request = { agent: agent.name, prompt: 'x' };
        for (const extra of [{ cronSchedule: '@every 1s' }, { retry: { maximumAttempts: 2 } }]) {
          const handle = await agent.client.temporal.workflow.start('agentRun', {
            workflowId: `${agent.name}-${Object.keys(extra).join('')}`,
            taskQueue: taskQueueOf(agent.name),
            args: [{ request }],
            ...extra,
          });
          await vi.waitFor(
            async () => {
              const events = (
                await agent.client.temporal.workflow
                  .getHandle(handle.workflowId, handle.firstExecutionRunId)
                  .fetchHistory()
              ).events;
              const failures = events?.map(
                (e) => e.workflowExecutionFailedEventAttributes?.failure?.applicationFailureInfo?.type,
              );
              expect(failures).toContain('holdfast.invalid_start');
            },
            { timeout: 30_000, interval: 50 },
          );
          await handle.terminate().catch(() => undefined);
        }
      },
    );
  });

  it('that is refused leaves no path of the build machine in the history [events:no-args]', async () => {
    await withAgent({ script: [] }, async (agent) => {
      const handle = await agent.client.temporal.workflow.start('agentRun', {
        workflowId: `${agent.name}-stackless`,
        taskQueue: taskQueueOf(agent.name),
        args: [],
      });
      await handle.result().catch(() => undefined);
      const failures = (await agent.history(handle.workflowId)).events?.flatMap(
        (e) => e.workflowExecutionFailedEventAttributes?.failure ?? [],
      );
      expect(failures).toHaveLength(1);
      expect(failures?.[0]?.stackTrace ?? '').toBe('');
    });
  });

  it.each([
    ['no input', []],
    ['a list', [[]]],
    ['no request', [{}]],
    ['a request that is no object', [{ request: 'x' }]],
    ['a state beside the request', [{ request: { agent: 'a', prompt: 'x' }, budgets: {} }]],
    ['a prompt of 2 MB', [{ request: { agent: 'a', prompt: 'x'.repeat(2_000_000) } }]],
    ['a deep request', [{ request: { agent: 'a', prompt: 'x', tools: [[[[[[]]]]]] } }]],
  ])('with %s fails by name instead of failing its task for ever', async (_what, args) => {
    await withAgent({ script: [] }, async (agent) => {
      const handle = await agent.client.temporal.workflow.start('agentRun', {
        workflowId: `${agent.name}-malformed`,
        taskQueue: taskQueueOf(agent.name),
        args,
      });
      const error = await handle.result().catch((cause: unknown) => cause);
      expect((error as WorkflowFailedError).cause).toMatchObject({ type: 'holdfast.invalid_start' });
    });
  });
});
