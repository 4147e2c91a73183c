import { describe, expect, it, vi } from 'vitest';
import { decisionFor } from '../../src/client.js';
import type { ExecuteToolInput } from '../../src/contract/activities.js';
import { RISK_LEVELS, type RiskLevel } from '../../src/contract/tool.js';
import { isGrantable } from '../../src/policy/risk.js';
import { withAgent } from '../harness/agent.js';
import { failedWorkflowTasks, markers, scheduled } from '../harness/history.js';
import { effectTool } from '../harness/tools.js';

type Kind = 'plain' | 'listed' | 'excluded';
const KINDS: readonly Kind[] = ['plain', 'listed', 'excluded'];

/** How the first and the second call of a tool come to run, when whoever is asked allows what may be allowed. */
const EXPECTED: Readonly<Record<RiskLevel, Readonly<Record<Kind, readonly string[]>>>> = {
  safe: { plain: ['free', 'free'], listed: ['decision', 'decision'], excluded: [] },
  read_only: { plain: ['free', 'free'], listed: ['decision', 'decision'], excluded: [] },
  mutation: { plain: ['decision', 'grant'], listed: ['decision', 'decision'], excluded: [] },
  destructive: { plain: ['decision', 'decision'], listed: ['decision', 'decision'], excluded: [] },
  dangerous: { plain: ['decision', 'decision'], listed: ['decision', 'decision'], excluded: [] },
};

const tools = RISK_LEVELS.flatMap((level) =>
  KINDS.map((kind) => ({ level, kind, name: `${level}_${kind}` })),
);
const named = (kind: Kind): string[] => tools.filter((tool) => tool.kind === kind).map(({ name }) => name);
const everyTool = (line: string) => ({ calls: tools.map(({ name }) => ({ tool: name, args: { line } })) });

describe('risk by grant by requireApprovalFor by surface', () => {
  it('decides how each call of a run comes to run, or that it does not [risk:free] [risk:mutation] [risk:always] [risk:require-approval-for] [surface:allow] [schema:unknown-tool]', async () => {
    const options = {
      customTools: tools.map(({ name, level }) => effectTool(name, level)),
      excludeTools: named('excluded'),
      requireApprovalFor: named('listed'),
      budgets: { maxErrors: 100, maxConsecutiveErrors: 100 },
      script: [everyTool('first'), everyTool('second'), { text: 'done' }],
    };
    await withAgent(options, async (agent) => {
      const { client } = agent;
      const runId = await agent.start();
      for (const asked of [8, 7]) {
        const pending = await vi.waitFor(
          async () => {
            const waiting = await client.pending(runId);
            expect(waiting).toHaveLength(asked);
            return waiting;
          },
          { timeout: 30_000, interval: 50 },
        );
        for (const request of pending) {
          const scope = request.grantable ? 'run' : 'once';
          const decision = decisionFor(request, { decision: 'approve', approver: 'ada', scope });
          expect(await client.decide(runId, decision)).toMatchObject({ counted: true });
        }
        // Only a mutation that is not listed may be granted.
        expect(pending.filter(({ grantable }) => grantable).map(({ tool }) => tool)).toEqual(
          asked === 8 ? ['mutation_plain'] : [],
        );
      }
      await client.result(runId);
      const events = await agent.history(runId);
      const ran = scheduled(events, 'executeTool').map(({ input }) => input as ExecuteToolInput);
      for (const { name, level, kind } of tools) {
        const how = ran.filter(({ tool }) => tool === name).map(({ authorization }) => authorization.kind);
        expect([name, how]).toEqual([name, EXPECTED[level][kind]]);
      }
      const unknown = markers(events, 'validateToolCall')
        .map(({ result }) => result as { tool: string; code?: string })
        .filter(({ code }) => code === 'unknown_tool');
      expect(unknown.map(({ tool }) => tool)).toEqual([...named('excluded'), ...named('excluded')]);
      expect(failedWorkflowTasks(events)).toBe(0);
    });
  });

  it('lets only mutation be granted [risk:always]', () => {
    expect(RISK_LEVELS.filter(isGrantable)).toEqual(['mutation']);
  });
});
