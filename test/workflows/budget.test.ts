import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
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
        { customTools: [failingTool], script: [...turns, { text: 'I give up.' }] },
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
      { customTools: [failingTool], budgets: { onExhausted: 'fail' }, script },
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

  it('gives the remaining calls of the turn their results and runs none of them [budget:exhausted]', async () => {
    const calls = [failing, failing, failing, failing, { tool: 'effect', args: { line: 'x' } }];
    const options = {
      customTools: [failingTool, effectTool('effect', 'safe')],
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
      budgets: { maxConsecutiveDenials: 2 },
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
      expect(await agent.client.status(runId)).toMatchObject({
        turn: 3,
        continuations: 3,
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
