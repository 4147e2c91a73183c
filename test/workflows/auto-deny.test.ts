import { describe, expect, it } from 'vitest';
import { EventFold } from '../../src/audit/event-fold.js';
import { timelineOf } from '../../src/audit/timeline.js';
import { timelineLines } from '../../src/cli/print-timeline.js';
import { decisionFor } from '../../src/client.js';
import type { ApprovalPolicy } from '../../src/contract/approval-policy.js';
import { MODEL_TEXTS } from '../../src/policy/model-texts.js';
import { withAgent } from '../harness/agent.js';
import { scheduled, toldToModel, type History } from '../harness/history.js';
import { effectTool } from '../harness/tools.js';

const call = (tool: string, line: string) => ({ calls: [{ tool, args: { line } }] });
const approve = { decision: 'approve', approver: 'ada' } as const;

function denying(approvals: ApprovalPolicy) {
  return {
    customTools: [effectTool('effect', 'mutation'), effectTool('free', 'safe')],
    approvals,
  };
}

const eventsOf = (history: History) => {
  const fold = new EventFold();
  return (history.events ?? []).flatMap((event) => fold.add(event));
};

describe('a call that the policy denies', () => {
  it('is denied at once and never runs or asks, whatever its level; the model is told why [hitl:deny] [hitl:authz]', async () => {
    const autoDeny = [{ tools: ['free'] }, { riskLevels: ['mutation'], reason: 'Use the copy.' }] as const;
    const script = [{ calls: [...call('effect', 'x').calls, ...call('free', 'y').calls] }, { text: 'done' }];
    await withAgent({ ...denying({ autoDeny }), script }, async (agent) => {
      const runId = await agent.start();
      expect(await agent.client.result(runId)).toMatchObject({
        status: 'done',
        budget: { errors: 0, consecutiveDenials: 2 },
      });
      const history = await agent.history(runId);
      expect(scheduled(history, 'executeTool')).toEqual([]);
      expect(history.events?.filter((event) => event.timerStartedEventAttributes)).toEqual([]);
      expect(toldToModel(history).map(({ status }) => status)).toEqual(['denied', 'denied']);
      const asked = JSON.stringify(scheduled(history, 'callModel')[1]?.input);
      expect(asked).toContain(MODEL_TEXTS.deniedByPolicy('Use the copy.'));
      expect(asked).toContain(MODEL_TEXTS.deniedByPolicy(undefined));
    });
  });

  it('stands in timeline and events as denied by policy, by nobody [audit:timeline] [events:stream]', async () => {
    const approvals = { autoDeny: [{ tools: ['effect'], reason: 'Use the copy.' }] };
    await withAgent(
      { ...denying(approvals), script: [call('effect', 'x'), { text: 'done' }] },
      async (agent) => {
        const runId = await agent.start();
        await agent.client.result(runId);
        const history = await agent.history(runId);
        const types = eventsOf(history).map(({ type }) => type);
        expect(types).toContain('approval_denied_by_policy');
        expect(types).not.toContain('approval_requested');
        const colors = { dim: String, bold: String, green: String, red: String, yellow: String };
        const lines = timelineLines(timelineOf(history.events ?? []), {
          colors: colors as never,
          width: 200,
        });
        expect(lines.join('\n')).toMatch(/effect .* denied by policy .* denied/);
        expect(lines.join('\n')).toContain('Use the copy.');
      },
    );
  });

  it('is one by the policy that its run began with [risk:pinned]', async () => {
    const script = [call('effect', 'x'), call('effect', 'y'), { text: 'done' }];
    await withAgent({ ...denying({}), script }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      await agent.redeploy({ approvals: { autoDeny: [{ tools: ['effect'] }] } });
      const decision = decisionFor(request, { ...approve, scope: 'run' });
      expect(await agent.client.decide(runId, decision)).toMatchObject({ counted: true });
      await agent.client.result(runId);
      expect(toldToModel(await agent.history(runId)).map(({ status }) => status)).toEqual(['ok', 'ok']);
    });
  });
});
