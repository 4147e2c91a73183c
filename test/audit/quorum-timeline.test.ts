import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { pathsOf } from '../../src/audit/call-paths.js';
import { countedDecisions } from '../../src/audit/counted-decisions.js';
import { timelineOf, type CallRecord, type Timeline } from '../../src/audit/timeline.js';
import { timelineLines } from '../../src/cli/print-timeline.js';
import { decisionFor, type DecisionDraft } from '../../src/client.js';
import { withAgent, type TestAgent, type TestAgentOptions } from '../harness/agent.js';

const two: TestAgentOptions = {
  enableWriteTools: true,
  approvals: { quorum: { mutation: 2 } },
  files: { 'a.txt': 'old\n', 'b.txt': 'old\n' },
  script: [{ calls: [{ tool: 'write', args: { path: 'a.txt', content: 'new\n' } }] }, { text: 'done' }],
};
const approve = (approver: string, reason?: string): DecisionDraft => ({
  decision: 'approve',
  approver,
  ...(reason !== undefined && { reason }),
});
const elsewhere: DecisionDraft = {
  decision: 'edit',
  approver: 'bob',
  args: { path: 'b.txt', content: 'new\n' },
  reason: 'the other file',
};

/** What the history tells once these have decided, one after the other. */
async function after(
  drafts: readonly DecisionDraft[],
  body: (timeline: Timeline, call: CallRecord, agent: TestAgent) => Promise<void> | void,
): Promise<void> {
  await withAgent(two, async (agent) => {
    const runId = await agent.start();
    for (const draft of drafts) {
      // What is shown may have changed since the one before.
      const request = await agent.request(runId);
      expect(await agent.client.decide(runId, decisionFor(request, draft))).toMatchObject({ counted: true });
    }
    const waits = (await agent.client.pending(runId)).length > 0;
    if (!waits) await agent.client.result(runId);
    const timeline = timelineOf((await agent.history(runId)).events ?? []);
    const [call] = timeline.turns.flatMap(({ calls }) => calls);
    if (!call) throw new Error('The history tells of no call.');
    await body(timeline, call, agent);
    if (waits) await agent.client.cancel(runId);
  });
}

const counted = (call: CallRecord) =>
  countedDecisions(call).map(({ decision, remaining }) => [
    decision?.decision,
    decision?.approver,
    remaining,
  ]);
const printed = (timeline: Timeline) =>
  timelineLines(timeline, { colors: pc.createColors(false), width: Infinity })
    .join('\n')
    .replace(/ +/g, ' ');

describe('the timeline of a call that needs two approvers', () => {
  it('names both, and the one who completed the quorum [audit:timeline] [hitl:quorum]', async () => {
    await after([approve('ada', 'looks right'), approve('bob', 'so it does')], (timeline, call) => {
      expect(counted(call)).toEqual([
        ['approve', 'ada', 1],
        ['approve', 'bob', 0],
      ]);
      expect(printed(timeline)).toContain('approved by ada (update), approved by bob (update) ok');
      expect(printed(timeline)).toContain('1.1 reason ada: looks right\n');
      expect(printed(timeline)).toContain('1.1 reason bob: so it does\n');
    });
  });

  it('leaves out who approved what an edit replaced, and leads where the edit leads [audit:timeline] [hitl:quorum] [hitl:edit-told]', async () => {
    await after([approve('ada'), elsewhere, approve('carol')], async (timeline, call, agent) => {
      expect(counted(call)).toEqual([
        ['edit', 'bob', 1],
        ['approve', 'carol', 0],
      ]);
      // All that was said is still there.
      expect(call.decisions.map(({ decision }) => decision?.approver)).toEqual(['ada', 'bob', 'carol']);
      expect(pathsOf(call)).toEqual([{ argument: 'path', relative: 'b.txt' }]);
      expect(call.execution?.args).toEqual(elsewhere.args);
      expect(printed(timeline)).toContain(
        'write b.txt valid inside edited by bob (update), approved by carol',
      );
      expect(await readFile(join(agent.workspace, 'b.txt'), 'utf8')).toBe('new\n');
    });
  });

  it('says how many more it needs while it waits [audit:timeline] [hitl:quorum]', async () => {
    await after([approve('ada')], (timeline, call) => {
      expect(counted(call)).toEqual([['approve', 'ada', 1]]);
      expect(printed(timeline)).toContain('approved by ada (update), 1 more needed open');
    });
  });

  it('names who denied it, whoever approved before [audit:timeline] [hitl:quorum] [hitl:deny]', async () => {
    await after([approve('ada'), { decision: 'deny', approver: 'bob' }], (timeline, call) => {
      expect(counted(call)).toEqual([['deny', 'bob', 0]]);
      expect(printed(timeline)).toContain('denied by bob (update) denied');
    });
  });
});
