import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { EventFold } from '../../src/audit/event-fold.js';
import { timelineOf } from '../../src/audit/timeline.js';
import { decisionFor } from '../../src/client.js';
import { ModelFailure } from '../../src/models/model.js';
import { withAgent } from '../harness/agent.js';
import { effectTool, failingTool } from '../harness/tools.js';
import { scheduled, toldToModel } from '../harness/history.js';

const failing = { tool: 'failing', args: {} };
const invalid = { tool: 'read', args: {} };
const outside = { tool: 'read', args: { path: '../x' } };
const unknown = { tool: 'nope', args: {} };

const endless = [
  { what: 'a tool that says it failed', calls: [failing] },
  { what: 'invalid arguments', calls: [invalid] },
  { what: 'a path outside', calls: [outside] },
  { what: 'an unknown tool', calls: [unknown] },
  { what: 'two of them in turn', calls: [invalid, unknown] },
] as const;

describe('the error budget', () => {
  it.each(endless)(
    'ends a run of $what after exactly three errors, with one last word [budget:errors] [budget:exhausted] [H25]',
    async ({ calls }) => {
      const turns = [0, 1, 2].map((turn) => ({ calls: [calls[turn % calls.length] ?? failing] }));
      await withAgent(
        {
          customTools: [failingTool],
          budgets: { maxRepeats: 0 },
          script: [...turns, { text: 'I give up.' }],
        },
        async (agent) => {
          const runId = await agent.start();
          const result = await agent.client.result(runId);
          expect(result).toMatchObject({
            status: 'budget_exhausted',
            exhausted: 'maxConsecutiveErrors',
            text: 'I give up.',
            budget: { errors: 3, consecutiveErrors: 3 },
          });
          const models = scheduled(await agent.history(runId), 'callModel');
          expect(models.map(({ input }) => (input as { tools: string }).tools)).toEqual([
            'surface',
            'surface',
            'surface',
            'none',
          ]);
          expect(agent.model.requests.at(-1)?.tools).toEqual([]);
        },
      );
    },
  );

  it('fails the run by name without another model call when so configured [budget:exhausted] [H25]', async () => {
    const script = [{ calls: [failing] }, { calls: [failing] }, { calls: [failing] }];
    await withAgent(
      { customTools: [failingTool], budgets: { onExhausted: 'fail', maxRepeats: 0 }, script },
      async (agent) => {
        const runId = await agent.start();
        const error = await agent.client.result(runId).catch((cause: unknown) => cause);
        expect(error).toBeInstanceOf(WorkflowFailedError);
        const { cause } = error as WorkflowFailedError;
        expect(cause).toBeInstanceOf(ApplicationFailure);
        expect((cause as ApplicationFailure).type).toBe('holdfast.budget_exhausted');
        expect(scheduled(await agent.history(runId), 'callModel')).toHaveLength(3);
      },
    );
  });

  it('tells in the history how the last calls of a run that fails ended, though no model was told [budget:exhausted] [outcome:status] [audit:timeline] [events:stream]', async () => {
    const free = { tool: 'free', args: { line: 'x' } };
    const options = {
      customTools: [effectTool('free', 'safe'), effectTool('effect', 'mutation')],
      budgets: { onExhausted: 'fail', maxConsecutiveDenials: 1, maxRepeats: 2 } as const,
      approvalTimeoutMs: 1,
      script: [{ calls: [free, free, { tool: 'effect', args: { line: 'y' } }] }],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      await expect(agent.client.result(runId)).rejects.toThrow('Workflow execution failed');
      const events = (await agent.history(runId)).events ?? [];
      const outcomes = timelineOf(events).turns.flatMap(({ calls }) => calls.map(({ outcome }) => outcome));
      expect(outcomes).toEqual([
        { status: 'ok' },
        { status: 'error', code: 'repeated_call' },
        { status: 'expired' },
      ]);
      const fold = new EventFold();
      const types = events.flatMap((event) => fold.add(event)).map(({ type }) => type);
      expect(types).toContain('approval_expired');
    });
  });

  it('gives the remaining calls of the turn their results and runs none of them [budget:exhausted]', async () => {
    const calls = [failing, failing, failing, failing, { tool: 'effect', args: { line: 'x' } }];
    const options = {
      customTools: [failingTool, effectTool('effect', 'safe')],
      budgets: { maxRepeats: 0 },
      script: [{ calls }, { text: 'over' }],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      const result = await agent.client.result(runId);
      expect(result.budget.errors).toBe(3);
      const events = await agent.history(runId);
      expect(toldToModel(events)).toHaveLength(5);
      const ran = scheduled(events, 'executeTool').map(({ input }) => (input as { tool: string }).tool);
      expect(ran).toEqual(['failing', 'failing', 'failing']);
    });
  });

  it('is reset by ok and not moved by denials, which have a cap of their own [budget:errors]', async () => {
    const ask = { calls: [{ tool: 'effect', args: { line: 'x' } }] };
    const options = {
      customTools: [failingTool, effectTool('effect', 'mutation'), effectTool('free', 'safe')],
      budgets: { maxConsecutiveDenials: 2, maxRepeats: 0 },
      script: [
        { calls: [failing, failing, { tool: 'free', args: { line: 'y' } }, failing, failing] },
        ask,
        ask,
        { text: 'over' },
      ],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      for (let n = 0; n < 2; n += 1) {
        const request = await agent.request(runId);
        await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
      }
      expect(await agent.client.result(runId)).toMatchObject({
        status: 'budget_exhausted',
        exhausted: 'maxConsecutiveDenials',
        budget: { errors: 4, consecutiveErrors: 2, consecutiveDenials: 2 },
      });
    });
  });

  it('counts on after a restart of the worker and after continuing as new [budget:durable] [run:continue-as-new]', async () => {
    const ok = { calls: [{ tool: 'free', args: { line: 'y' } }] };
    const options = {
      customTools: [failingTool, effectTool('free', 'safe'), effectTool('effect', 'mutation')],
      budgets: { maxErrors: 3, maxConsecutiveErrors: 2 },
      continueAfterEvents: 1,
      script: [
        { calls: [failing] },
        ok,
        { calls: [failing] },
        { calls: [{ tool: 'effect', args: { line: 'z' } }] },
        { calls: [failing] },
        { text: 'over' },
      ],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      const { continuations, ...status } = await agent.client.status(runId);
      expect(continuations).toBeGreaterThan(3);
      expect(status).toMatchObject({
        turn: 3,
        budget: { errors: 2, consecutiveErrors: 1 },
      });
      await agent.redeploy();
      await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
      expect(await agent.client.result(runId)).toMatchObject({
        status: 'budget_exhausted',
        turns: 5,
        calls: 5,
        budget: { errors: 3 },
      });
      // The chain goes on over the continuations: the last request holds every message of the run.
      expect(agent.model.requests.at(-1)?.messages.filter((m) => m.role === 'tool')).toHaveLength(5);
    });
  });

  it('ends a run at maxTurns by name [budget:turns]', async () => {
    const turn = { calls: [{ tool: 'free', args: { line: 'y' } }] };
    const options = {
      customTools: [effectTool('free', 'safe')],
      budgets: { maxTurns: 2 },
      script: [turn, turn, { text: 'so far' }],
    };
    await withAgent(options, async (agent) => {
      const result = await agent.client.result(await agent.start());
      expect(result).toMatchObject({
        status: 'budget_exhausted',
        exhausted: 'maxTurns',
        text: 'so far',
        turns: 2,
      });
    });
  });
});

describe('the repeat guard', () => {
  const same = { tool: 'free', args: { line: 'x' } };
  const rearranged = { tool: 'free', args: '{ "note": [1], "line": "y" }' };
  const arranged = { tool: 'free', args: { line: 'y', note: [1] } };

  it('refuses the third identical call, however its arguments are written [budget:repeat] [H25]', async () => {
    const options = {
      customTools: [effectTool('free', 'safe')],
      script: [
        { calls: [same, rearranged] },
        { calls: [same, arranged] },
        { calls: [same, arranged] },
        { text: 'over' },
      ],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', budget: { errors: 2 } });
      const events = await agent.history(runId);
      expect(scheduled(events, 'executeTool')).toHaveLength(4);
      expect(scheduled(events, 'callModel').at(-1)?.input).toMatchObject({
        append: [
          { status: 'error', code: 'repeated_call' },
          { status: 'error', code: 'repeated_call' },
        ],
      });
    });
  });

  it.each([
    { what: 'a repeatable tool', repeatable: true, maxRepeats: 3 },
    { what: 'any tool when it is off', repeatable: false, maxRepeats: 0 },
  ])('lets $what repeat itself [budget:repeat]', async ({ repeatable, maxRepeats }) => {
    const options = {
      customTools: [effectTool('free', 'safe', { repeatable })],
      budgets: { maxRepeats },
      script: [{ calls: [same, same, same, same] }, { text: 'done' }],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      await agent.client.result(runId);
      expect(scheduled(await agent.history(runId), 'executeTool')).toHaveLength(4);
    });
  });
});

describe('a cap of the run', () => {
  it('on the errors of one tool ends it by name [budget:errors]', async () => {
    const options = {
      customTools: [failingTool, effectTool('free', 'safe')],
      budgets: { maxErrorsPerTool: { failing: 2 }, maxRepeats: 0 },
      script: [
        { calls: [failing, { tool: 'free', args: { line: 'x' } }] },
        { calls: [failing] },
        { text: 'over' },
      ],
    };
    await withAgent(options, async (agent) => {
      const result = await agent.client.result(await agent.start());
      expect(result).toMatchObject({ exhausted: 'maxErrorsPerTool', budget: { toolErrors: { failing: 2 } } });
    });
  });

  it('on tokens stops the calls of the answer that used them up [budget:turns]', async () => {
    const options = {
      customTools: [effectTool('free', 'safe')],
      budgets: { maxTokens: 100 },
      script: [
        { calls: [{ tool: 'free', args: { line: 'x' } }], usage: { inputTokens: 50, outputTokens: 9 } },
        { calls: [{ tool: 'free', args: { line: 'y' } }], usage: { inputTokens: 50 } },
        { text: 'over' },
      ],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      expect(await agent.client.result(runId)).toMatchObject({
        exhausted: 'maxTokens',
        budget: { tokens: 109 },
      });
      expect(scheduled(await agent.history(runId), 'executeTool')).toHaveLength(1);
    });
  });

  it('on time ends a run that waits for a person, and withdraws the request [budget:turns]', async () => {
    const options = {
      customTools: [effectTool('effect', 'mutation')],
      budgets: { maxWallClockMs: 1500 },
      script: [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, { text: 'over' }],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      expect(await agent.client.result(runId)).toMatchObject({ exhausted: 'maxWallClockMs', text: 'over' });
      const status = await agent.client.status(runId);
      expect(status).toMatchObject({ pending: [], settled: [{ how: 'withdrawn' }] });
      expect(scheduled(await agent.history(runId), 'executeTool')).toEqual([]);
    });
  });
});

describe('a model that fails for good', () => {
  it('fails the run with its reason, and repeats nothing that ran [run:at-most-once] [H24]', async () => {
    const options = {
      customTools: [effectTool('free', 'safe')],
      script: [
        { calls: [{ tool: 'free', args: { line: 'once' } }] },
        new ModelFailure('HTTP 400: bad request', false),
      ],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      const error = await agent.client.result(runId).catch((cause: unknown) => cause);
      expect((error as WorkflowFailedError).cause).toMatchObject({ type: 'holdfast.model_failed' });
      const events = await agent.history(runId);
      expect(scheduled(events, 'executeTool')).toHaveLength(1);
      expect(events.events?.filter((e) => e.workflowExecutionStartedEventAttributes?.retryPolicy)).toEqual(
        [],
      );
    });
  });
});
