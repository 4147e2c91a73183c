import { describe, expect, it, vi } from 'vitest';
import { timelineOf } from '../../src/audit/timeline.js';
import { decisionFor, type DecisionDraft } from '../../src/client.js';
import { withAgent } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';

const approve = (approver: string): DecisionDraft => ({ decision: 'approve', approver });
const edit: DecisionDraft = { decision: 'edit', approver: 'ada', args: { line: 'edited' } };

describe('the history of an execution that goes on with a waiting request, read alone', () => {
  it.each([
    ['as it was asked', approve('ada'), 'asked'],
    ['as it was edited', edit, 'edited'],
  ])(
    'shows the arguments %s, and counts the approvals of before [audit:timeline] [run:continue-as-new] [hitl:quorum]',
    async (_how, first, line) => {
      await withAgent(
        {
          customTools: [effectTool('effect', 'mutation')],
          approvals: { quorum: { mutation: 2 } },
          continueAfterEvents: 1,
          script: [{ calls: [{ tool: 'effect', args: { line: 'asked' } }] }, { text: 'done' }],
        },
        async (agent) => {
          const runId = await agent.start();
          const decide = async (draft: DecisionDraft): Promise<unknown> =>
            agent.client.decide(runId, decisionFor(await agent.request(runId), draft));
          expect(await decide(first)).toMatchObject({ counted: true, remaining: 1 });
          await vi.waitFor(
            async () => {
              const { turns } = timelineOf((await agent.history(runId)).events ?? []);
              // The decision stands in a history of before.
              expect(turns.at(-1)?.calls[0]?.decisions).toEqual([]);
            },
            { timeout: 30_000, interval: 100 },
          );
          expect(await decide(approve('bob'))).toMatchObject({ counted: true });
          await agent.client.result(runId);
          const alone = (await agent.histories(runId)).map(({ events }) => timelineOf(events ?? []));
          const [call, ...others] = alone.flatMap(({ turns }) =>
            turns.flatMap(({ calls }) =>
              calls.filter(({ decisions }) => decisions.some(({ decision }) => decision?.approver === 'bob')),
            ),
          );
          expect(others).toEqual([]);
          expect(call?.validation?.value).toMatchObject({ valid: true, args: { line } });
          expect(call?.proposed.argsText).toBe(JSON.stringify({ line }));
          expect(call?.decisions.map(({ remaining }) => remaining)).toEqual([0]);
        },
      );
    },
  );
});
