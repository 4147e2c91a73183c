import { describe, expect, it, vi } from 'vitest';
import { EventFold } from '../../src/audit/event-fold.js';
import { decisionFor } from '../../src/client.js';
import type { RunEvent } from '../../src/contract/events.js';
import { CONTROL_SIGNAL, CONTROL_UPDATE } from '../../src/contract/names.js';
import { defineTool } from '../../src/registry/define-tool.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { failedWorkflowTasks, scheduled, toldToModel, type History } from '../harness/history.js';
import { effectTool, failingTool } from '../harness/tools.js';

const failing = { tool: 'failing', args: {} };
const free = (line: string) => ({ calls: [{ tool: 'free', args: { line } }] });
const pausing = {
  customTools: [failingTool, effectTool('free', 'safe'), effectTool('effect', 'mutation')],
  budgets: { onExhausted: 'pause', maxErrors: 2, maxConsecutiveErrors: 2, maxRepeats: 0 },
} as const;
const twoErrors = { calls: [failing, failing] };

function eventsOf(history: History): readonly RunEvent[] {
  const fold = new EventFold();
  return (history.events ?? []).flatMap((event) => fold.add(event));
}

async function exhausted(agent: TestAgent, runId: string): Promise<void> {
  await vi.waitFor(async () => expect((await agent.client.status(runId)).phase).toBe('exhausted'), {
    timeout: 30_000,
    interval: 50,
  });
}

describe('a run whose budget is used up and that waits for an operator', () => {
  it('runs nothing until the budget is extended, over a restart of the worker, and then goes on [budget:exhausted] [budget:durable]', async () => {
    const calls = [...twoErrors.calls, { tool: 'free', args: { line: 'stopped' } }];
    await withAgent({ ...pausing, script: [{ calls }, free('later'), { text: 'done' }] }, async (agent) => {
      const { client } = agent;
      const runId = await agent.start();
      await exhausted(agent, runId);
      await agent.redeploy();
      const add = { maxErrors: 1, maxConsecutiveErrors: 1 };
      expect(await client.extendBudget(runId, add, 'op')).toEqual({ done: true, action: 'extendBudget' });
      expect(await client.result(runId)).toMatchObject({ status: 'done', text: 'done' });
      const events = await agent.history(runId);
      expect(toldToModel(events).map(({ status }) => status)).toEqual(['error', 'error', 'error', 'ok']);
      const ran = scheduled(events, 'executeTool').map(({ input }) => (input as { args: object }).args);
      expect(ran).toEqual([{}, {}, { line: 'later' }]);
      expect(await client.status(runId)).toMatchObject({
        extensions: [{ by: 'op', add }],
        budgets: { maxErrors: 3, maxConsecutiveErrors: 3 },
      });
      expect(failedWorkflowTasks(events)).toBe(0);
    });
  });

  it('waits on while what was extended is not what is used up [budget:exhausted]', async () => {
    await withAgent({ ...pausing, script: [twoErrors, { text: 'done' }] }, async (agent) => {
      const { client } = agent;
      const runId = await agent.start();
      await exhausted(agent, runId);
      await client.extendBudget(runId, { maxConsecutiveErrors: 5 }, 'op');
      expect(await client.status(runId)).toMatchObject({ phase: 'exhausted', exhausted: 'maxErrors' });
      await client.extendBudget(runId, { maxErrors: 1 }, 'op');
      expect(await client.result(runId)).toMatchObject({ status: 'done' });
      expect(scheduled(await agent.history(runId), 'callModel')).toHaveLength(2);
    });
  });

  it('has its last word when nobody extends it in time [budget:exhausted]', async () => {
    const budgets = { ...pausing.budgets, exhaustedTimeoutMs: 1 };
    await withAgent({ ...pausing, budgets, script: [twoErrors, { text: 'I give up.' }] }, async (agent) => {
      const runId = await agent.start();
      expect(await agent.client.result(runId)).toMatchObject({
        status: 'budget_exhausted',
        exhausted: 'maxConsecutiveErrors',
        text: 'I give up.',
      });
      const models = scheduled(await agent.history(runId), 'callModel');
      expect(models.map(({ input }) => (input as { tools: string }).tools)).toEqual(['surface', 'none']);
    });
  });

  it('hears in its last word what was said to it while it waited [run:control] [budget:exhausted]', async () => {
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    const budgets = { ...pausing.budgets, exhaustedTimeoutMs: 3_000 };
    const script = [twoErrors, async () => (await asked, { text: 'over' })];
    await withAgent({ ...pausing, budgets, script }, async (agent) => {
      const { client } = agent;
      const runId = await agent.start();
      await exhausted(agent, runId);
      expect(await client.message(runId, 'Say why.', 'op')).toMatchObject({ done: true });
      await vi.waitFor(async () => expect((await client.status(runId)).phase).toBe('concluding'), {
        timeout: 30_000,
        interval: 50,
      });
      // No model call follows that could read or heed these.
      const ending = { done: false, code: 'control_refused', text: 'The run is ending.' };
      expect(await client.message(runId, 'Too late.', 'op')).toEqual(ending);
      expect(await client.pause(runId, 'op')).toEqual(ending);
      const handle = client.temporal.workflow.getHandle(runId);
      await handle.signal(CONTROL_SIGNAL, { action: 'message', by: 'op', text: 'Too late.' });
      answer();
      await client.result(runId);
      const events = await agent.history(runId);
      expect(scheduled(events, 'callModel').at(-1)?.input).toMatchObject({
        append: [
          { kind: 'tool_result' },
          { kind: 'tool_result' },
          { kind: 'user', text: 'Say why.' },
          { kind: 'notice' },
        ],
      });
      const told = eventsOf(events).filter(({ type }) => type === 'run_message' || type === 'run_paused');
      expect(told).toMatchObject([{ type: 'run_message', textBytes: 8 }]);
    });
  });

  it('waits also when a call that was under way ends well after the one that used it up [budget:exhausted] [hitl:parallel]', async () => {
    let release: (text: string) => void = () => undefined;
    const released = new Promise<string>((resolve) => (release = resolve));
    const slow = defineTool(
      {
        name: 'slow',
        description: 'Waits.',
        riskLevel: 'safe',
        parallel: true,
        parameters: { type: 'object' },
      },
      () => released,
    );
    const calls = [{ tool: 'slow', args: {} }, failing];
    const options = {
      customTools: [slow, failingTool],
      budgets: { ...pausing.budgets, maxConsecutiveErrors: 1 },
      script: [{ calls }, { text: 'done' }],
    };
    await withAgent(options, async (agent) => {
      const { client } = agent;
      const runId = await agent.start();
      await vi.waitFor(
        async () => expect((await client.status(runId)).exhausted).toBe('maxConsecutiveErrors'),
        { timeout: 30_000, interval: 50 },
      );
      release('done');
      await exhausted(agent, runId);
      expect(await client.status(runId)).toMatchObject({ exhausted: 'maxConsecutiveErrors', calls: 2 });
      await client.extendBudget(runId, { maxConsecutiveErrors: 1 }, 'op');
      expect(await client.result(runId)).toMatchObject({ status: 'done' });
    });
  });

  it('is cancelled like any other [run:control] [budget:exhausted]', async () => {
    await withAgent({ ...pausing, script: [twoErrors] }, async (agent) => {
      const runId = await agent.start();
      await exhausted(agent, runId);
      await agent.client.cancel(runId);
      await expect(agent.client.result(runId)).rejects.toThrow('cancelled');
      expect(await agent.client.status(runId)).toMatchObject({ phase: 'ended', pending: [], calls: 2 });
      expect(scheduled(await agent.history(runId), 'callModel')).toHaveLength(1);
    });
  });

  it('stays paused by an operator who paused it too, until resumed [run:control] [budget:exhausted]', async () => {
    const ask = { calls: [...twoErrors.calls, { tool: 'effect', args: { line: 'x' } }] };
    await withAgent({ ...pausing, script: [ask, { text: 'done' }] }, async (agent) => {
      const { client } = agent;
      const runId = await agent.start();
      await exhausted(agent, runId);
      await client.pause(runId, 'op');
      await client.extendBudget(runId, { maxErrors: 9, maxConsecutiveErrors: 9 }, 'op');
      await vi.waitFor(async () => expect((await client.status(runId)).phase).toBe('paused'), {
        timeout: 30_000,
        interval: 50,
      });
      expect(scheduled(await agent.history(runId), 'callModel')).toHaveLength(1);
      await client.resume(runId, 'op');
      expect(await client.result(runId)).toMatchObject({ status: 'done' });
    });
  });

  it.each([
    { budget: 'maxTurns', budgets: { maxTurns: 1 }, add: { maxTurns: 5 } },
    { budget: 'maxWallClockMs', budgets: { maxWallClockMs: 1 }, add: { maxWallClockMs: 3_600_000 } },
    { budget: 'maxTokens', budgets: { maxTokens: 5 }, add: { maxTokens: 5_000 } },
    {
      budget: 'maxErrorsPerTool',
      budgets: { maxErrorsPerTool: { failing: 1 } },
      add: { maxErrorsPerTool: { failing: 3 } },
    },
  ] as const)(
    'goes on after more of $budget [budget:exhausted] [budget:turns]',
    async ({ budget, budgets, add }) => {
      const usage = { inputTokens: 5, outputTokens: 5 };
      // Only a run that waits meets the end of its time while it can still be seen.
      const first = budget === 'maxWallClockMs' ? { tool: 'effect', args: { line: 'x' } } : failing;
      const script = [{ calls: [first], usage }, { ...free('later'), usage }, { text: 'done' }];
      const options = { ...pausing, budgets: { ...budgets, onExhausted: 'pause' as const }, script };
      await withAgent(options, async (agent) => {
        const runId = await agent.start();
        await exhausted(agent, runId);
        expect((await agent.client.status(runId)).exhausted).toBe(budget);
        expect(await agent.client.extendBudget(runId, add, 'op')).toMatchObject({ done: true });
        expect(await agent.client.result(runId)).toMatchObject({ status: 'done' });
        const ran = scheduled(await agent.history(runId), 'executeTool').at(-1)?.input;
        expect(ran).toMatchObject({ args: { line: 'later' } });
      });
    },
  );
});

describe('an extension of the budgets', () => {
  it.each(['signal', 'update'])(
    'that comes by %s before the run is prepared is refused and wedges nothing [budget:exhausted] [run:control]',
    async (how) => {
      // Nobody is answered who sends a signal.
      const told = how === 'update' ? { done: false, code: 'control_refused' } : {};
      let answer: Promise<unknown> = Promise.resolve({});
      const early = async (agent: TestAgent): Promise<string> => {
        const { client, start } = agent;
        const runId = await start();
        const handle = client.temporal.workflow.getHandle(runId);
        const args: [object] = [{ action: 'extendBudget', by: 'op', add: { maxErrors: 1 } }];
        if (how === 'signal') await handle.signal(CONTROL_SIGNAL, ...args);
        // It waits for the worker that is not there.
        else answer = handle.executeUpdate(CONTROL_UPDATE, { args });
        return runId;
      };
      await withAgent({ ...pausing, script: [{ text: 'done' }] }, async (agent) => {
        let runId = '';
        await agent.redeploy({}, async () => (runId = await early(agent)));
        expect(await agent.client.result(runId)).toMatchObject({ status: 'done' });
        expect(await answer).toEqual(expect.objectContaining(told));
        expect((await agent.client.status(runId)).extensions).toEqual([]);
        expect(failedWorkflowTasks(await agent.history(runId))).toBe(0);
      });
    },
  );

  it('that is enough for one budget and not for another has the last word name the other [budget:exhausted]', async () => {
    const budgets = { ...pausing.budgets, exhaustedTimeoutMs: 2_000 };
    await withAgent({ ...pausing, budgets, script: [twoErrors, { text: 'over' }] }, async (agent) => {
      const runId = await agent.start();
      await exhausted(agent, runId);
      await agent.client.extendBudget(runId, { maxConsecutiveErrors: 5 }, 'op');
      expect(await agent.client.result(runId)).toMatchObject({ exhausted: 'maxErrors' });
      const told = scheduled(await agent.history(runId), 'callModel').at(-1)?.input;
      expect(JSON.stringify(told)).toContain('budget maxErrors is used up');
    });
  });

  it('holds before they are used up too, and over a continuation [budget:exhausted] [run:continue-as-new]', async () => {
    const script = [
      { calls: [{ tool: 'effect', args: { line: 'x' } }] },
      twoErrors,
      { calls: [failing] },
      { text: 'over' },
    ];
    const options = {
      ...pausing,
      budgets: { maxErrors: 2, maxConsecutiveErrors: 9, maxRepeats: 0 },
      continueAfterEvents: 1,
      script,
    };
    await withAgent(options, async (agent) => {
      const { client } = agent;
      const runId = await agent.start();
      const request = await agent.request(runId);
      await client.extendBudget(runId, { maxErrors: 1 }, 'op');
      await client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
      expect(await client.result(runId)).toMatchObject({ exhausted: 'maxErrors', budget: { errors: 3 } });
      expect((await client.status(runId)).continuations).toBeGreaterThan(0);
    });
  });

  it.each([
    ['nothing to add', {}, 'malformed_control'],
    ['no object', 5, 'malformed_control'],
    ['less than one', { maxErrors: 0 }, 'malformed_control'],
    ['a fraction', { maxErrors: 1.5 }, 'malformed_control'],
    ['a text', { maxErrors: '5' }, 'malformed_control'],
    ['an unknown budget', { maxRepeats: 5 }, 'malformed_control'],
    ['another object', { ['__proto__']: { maxErrors: 5 } }, 'malformed_control'],
    ['what the run has no cap of', { maxTokens: 5 }, 'control_refused'],
    ['a tool that has no cap', { maxErrorsPerTool: { constructor: 5 } }, 'control_refused'],
  ])('of %s is refused and changes nothing [budget:exhausted]', async (_what, add, code) => {
    await withAgent({ ...pausing, script: [twoErrors, { text: 'over' }] }, async (agent) => {
      const runId = await agent.start();
      await exhausted(agent, runId);
      const handle = agent.client.temporal.workflow.getHandle(runId);
      const asked = { action: 'extendBudget', by: 'op', add };
      expect(await handle.executeUpdate(CONTROL_UPDATE, { args: [asked] })).toMatchObject({ code });
      const { extensions, budgets } = await agent.client.status(runId);
      expect(extensions).toEqual([]);
      expect(budgets).toMatchObject({ maxErrors: 2 });
      await agent.client.extendBudget(runId, { maxErrors: 1, maxConsecutiveErrors: 1 }, 'op');
      await agent.client.result(runId);
      expect(failedWorkflowTasks(await agent.history(runId))).toBe(0);
    });
  });
});
