import { describe, expect, it } from 'vitest';
import { timelineOf } from '../../src/audit/timeline.js';
import { decisionFor } from '../../src/client.js';
import { ToolOutcome } from '../../src/contract/tool.js';
import { defineTool } from '../../src/registry/define-tool.js';
import { withAgent } from '../harness/agent.js';
import { failedWorkflowTasks, scheduled, textsOf, type History } from '../harness/history.js';
import { effectTool } from '../harness/tools.js';

const TURNS = 60;
const CALLS = 2 * TURNS;
const OUTPUT = 5_000;
const PROMPT = 200_000;

const pages = defineTool(
  {
    name: 'page',
    description: 'Gives a page; every 25th is missing.',
    riskLevel: 'safe',
    parameters: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
  },
  ({ n }: { n: number }) =>
    n % 25 === 24 ? ToolOutcome.error('No such page.') : `${String(n)} ${'p'.repeat(OUTPUT)}`,
);

const sizeOf = (events: NonNullable<History['events']>): number =>
  textsOf({ events }).reduce((sum, text) => sum + text.length, 0);

/** How much the history grew from each model call to the next of the same execution, bytes. */
function growth({ events }: History): readonly number[] {
  const asked = scheduled({ events: events ?? [] }, 'callModel').map(({ eventId }) => eventId);
  return asked.slice(1).map((end, turn) => sizeOf((events ?? []).slice((asked[turn] ?? 1) - 1, end - 1)));
}

describe('a long run', () => {
  it('adds to its history what each turn adds, continues as new, and counts on [run:transcript] [run:continue-as-new] [budget:durable] [H19]', async () => {
    const call = (n: number) =>
      n % 100 === 1 ? { tool: 'note', args: { line: String(n) } } : { tool: 'page', args: { n } };
    const script = [
      ...Array.from({ length: TURNS }, (_, n) => ({ calls: [call(2 * n), call(2 * n + 1)] })),
      { text: 'All read.' },
    ];
    const options = {
      customTools: [pages, effectTool('note', 'mutation')],
      budgets: { maxTurns: 1000 },
      continueAfterEvents: 400,
      script,
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start('t'.repeat(PROMPT));
      const request = await agent.request(runId);
      const forAll = { decision: 'approve', approver: 'ada', scope: 'run' } as const;
      await agent.client.decide(runId, decisionFor(request, forAll));
      expect(await agent.client.result(runId)).toMatchObject({
        status: 'done',
        text: 'All read.',
        turns: TURNS,
        calls: CALLS,
        budget: { errors: 4, consecutiveErrors: 0 },
      });

      const histories = await agent.histories(runId);
      expect(histories.length).toBeGreaterThan(2);
      expect(await agent.client.status(runId)).toMatchObject({
        continuations: histories.length - 1,
        grants: [{ tool: 'note' }],
      });
      for (const history of histories) {
        expect(sizeOf(history.events ?? [])).toBeLessThan(2_000_000);
        expect(failedWorkflowTasks(history)).toBe(0);
        // The first turn of a run brings its prompt.
        const [first = 0, ...others] = growth(history);
        expect(first).toBeLessThan(PROMPT + 2 * OUTPUT + 10_000);
        expect(Math.max(...others)).toBeLessThan(2 * OUTPUT + 10_000);
      }

      const models = histories.flatMap((history) => scheduled(history, 'callModel'));
      expect(models.map(({ input }) => (input as { turn: number }).turn)).toEqual(
        Array.from({ length: TURNS + 1 }, (_, n) => n),
      );
      const tools = histories.flatMap((history) => scheduled(history, 'executeTool'));
      const keys = tools.map(({ input }) => (input as { idempotencyKey: string }).idempotencyKey);
      expect(keys).toEqual(
        Array.from({ length: CALLS }, (_, n) => `${runId}:${String(n >> 1)}:${String(n % 2)}`),
      );

      const { turns, unreadable } = timelineOf(histories.flatMap(({ events }) => events ?? []));
      expect(unreadable).toEqual([]);
      expect(turns).toHaveLength(TURNS + 1);
      const outcomes = turns.flatMap(({ calls }) => calls.map(({ outcome }) => outcome?.status));
      expect(outcomes.filter((status) => status === 'ok')).toHaveLength(CALLS - 4);

      // The chain goes over all executions: the last request holds every message of the run.
      const last = agent.model.requests.at(-1)?.messages ?? [];
      expect(last).toHaveLength(1 + TURNS + CALLS);
      expect(last[0]).toMatchObject({ role: 'user', text: 't'.repeat(PROMPT) });
    });
  }, 180_000);
});
