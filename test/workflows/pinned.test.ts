import { describe, expect, it } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { digestOf } from '../../src/digest.js';
import { withAgent } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { markers, recordedManifest, scheduled, toldToModel } from '../harness/history.js';

const ask = (tool: string, line: string) => ({ calls: [{ tool, args: { line } }] });
const approve = { decision: 'approve', approver: 'ada' } as const;

describe('what a run recorded at its start', () => {
  it('holds the manifest in full: surface, schemas, policies, no path [risk:pinned]', async () => {
    await withAgent(
      { customTools: [effectTool('effect', 'mutation')], script: [{ text: 'done' }] },
      async (agent) => {
        const runId = await agent.start();
        await agent.client.result(runId);
        const status = await agent.client.status(runId);
        const events = await agent.history(runId);
        const { manifest, manifestDigest } = recordedManifest(events);
        expect(digestOf(JSON.parse(JSON.stringify(manifest)))).toBe(manifestDigest);
        expect(status.manifestDigest).toBe(manifestDigest);
        expect(manifest).toMatchObject({
          agent: { name: agent.name },
          instructions: 'Test.',
          budgets: { maxErrors: 10 },
          approvalTimeoutMs: 86_400_000,
        });
        const { tools } = manifest;
        expect(tools.map((t) => t.name)).toEqual(['read', 'grep', 'find', 'ls', 'effect']);
        expect(tools.at(-1)).toMatchObject({ riskLevel: 'mutation', parameters: { type: 'object' } });
        expect(tools.map(({ dialect, source }) => `${source} ${dialect}`)).toEqual([
          ...['read', 'grep', 'find', 'ls'].map(() => 'builtin 2020-12'),
          'custom 2020-12',
        ]);
        expect(JSON.stringify(manifest)).not.toContain(agent.workspace);
      },
    );
  });

  it('decides when the worker changes: stricter risk wins, removed tools are unavailable [risk:pinned] [H23]', async () => {
    const options = {
      customTools: [effectTool('held', 'mutation'), effectTool('free', 'safe'), effectTool('gone', 'safe')],
      script: [ask('held', '1'), ask('free', '2'), ask('gone', '3'), ask('held', '4'), { text: 'done' }],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      const first = await agent.request(runId);
      await agent.redeploy({
        customTools: [
          effectTool('added', 'safe'),
          effectTool('free', 'dangerous'),
          effectTool('held', 'safe'),
        ],
        budgets: { maxErrors: 1 },
      });
      await agent.client.decide(runId, decisionFor(first, approve));
      const second = await agent.request(runId);
      expect(second).toMatchObject({ tool: 'free', riskLevel: 'dangerous', grantable: false });
      await agent.client.decide(runId, decisionFor(second, approve));
      const fourth = await agent.request(runId);
      expect(fourth).toMatchObject({ tool: 'held', riskLevel: 'mutation' });
      await agent.client.decide(runId, decisionFor(fourth, approve));
      await agent.client.result(runId);
      const events = await agent.history(runId);
      expect(toldToModel(events).map(({ status }) => status)).toEqual(['ok', 'ok', 'error', 'ok']);
      const codes = markers(events, 'validateToolCall').map((m) => (m.result as { code?: string }).code);
      expect(codes).toEqual([undefined, undefined, 'tool_unavailable', undefined]);
      expect(scheduled(events, 'executeTool')).toHaveLength(3);
    });
  });
});
