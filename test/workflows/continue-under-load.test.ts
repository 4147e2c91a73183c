import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { APPROVAL_SIGNAL, CONTROL_SIGNAL } from '../../src/contract/names.js';
import { defineTool } from '../../src/registry/define-tool.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { defectAfter } from '../harness/defect.js';
import { markers, scheduled } from '../harness/history.js';
import { Hold } from '../harness/hold.js';
import { effectTool } from '../harness/tools.js';
import { withReceiver } from '../harness/webhook-receiver.js';

const deny = { decision: 'deny', approver: 'ada' } as const;

const shown = defineTool(
  {
    name: 'shown',
    description: 'Has a long preview.',
    riskLevel: 'mutation',
    parameters: { type: 'object', properties: { n: { type: 'integer' } } },
  },
  () => 'ran',
  { preview: () => ({ kind: 'text', text: 'x'.repeat(60_000), basis: 'v1' }) },
);

/** So many of its requests leave no room for another. */
const FULL = 17;

const eventually = <Value>(look: () => Promise<Value>): Promise<Value> =>
  vi.waitFor(look, { timeout: 60_000, interval: 100 });

const continuations = async ({ client }: TestAgent, runId: string): Promise<number> =>
  (await client.status(runId)).continuations;

describe('a run that continues as new while much is under way', () => {
  it('runs a tool once, and fails, when a defect met its execution while other calls were held back [run:activities] [run:continue-as-new]', async () => {
    const calls = ['free', 'other', 'other'].map((tool) => ({ tool, args: { line: tool } }));
    await withAgent(
      {
        customTools: [effectTool('free', 'safe'), effectTool('other', 'safe')],
        plugins: [defectAfter('free')],
        maxParallelCalls: 1,
        continueAfterEvents: 1,
        script: [{ calls }, { text: 'must not be asked' }],
      },
      async (agent) => {
        const runId = await agent.start();
        await expect(agent.client.result(runId)).rejects.toMatchObject({
          cause: { type: 'holdfast.internal_error' },
        });
        expect(await readFile(join(agent.workspace, 'effects.txt'), 'utf8')).toBe('free\n');
        const histories = await agent.histories(runId);
        expect(histories.flatMap((history) => scheduled(history, 'executeTool'))).toHaveLength(1);
        expect(histories.flatMap((history) => scheduled(history, 'callModel'))).toHaveLength(1);
      },
    );
  }, 60_000);

  it('makes each preview once, however many wait for room, and does not go round [run:continue-as-new] [hitl:preview] [run:payloads]', async () => {
    const calls = Array.from({ length: 40 }, (_, n) => ({ tool: 'shown', args: { n } }));
    const script = [{ calls }, { text: 'done' }];
    const budgets = { maxConsecutiveDenials: 100 };
    await withAgent({ customTools: [shown], continueAfterEvents: 30, budgets, script }, async (agent) => {
      const runId = await agent.start();
      for (let left = 40; left > 0; left -= 1) {
        const request = await agent.request(runId);
        await agent.client.decide(runId, decisionFor(request, deny));
      }
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', calls: 40 });
      const histories = await agent.histories(runId);
      expect(histories.flatMap((history) => markers(history, 'previewToolCall'))).toHaveLength(40);
      expect(histories.length).toBeGreaterThan(1);
      expect(histories.length).toBeLessThan(30);
    });
  }, 120_000);

  it('continues for signals of operators too, of which the server bounds the number [run:continue-as-new] [run:control]', async () => {
    const script = [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, { text: 'done' }];
    const customTools = [effectTool('effect', 'mutation')];
    await withAgent({ customTools, continueAfterEvents: 40, script }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      const before = await continuations(agent, runId);
      const handle = agent.client.temporal.workflow.getHandle(runId);
      for (let n = 0; n < 80; n += 1) {
        await handle.signal(CONTROL_SIGNAL, { action: n % 2 === 0 ? 'pause' : 'resume', by: 'ada' });
      }
      await eventually(async () => {
        expect(await continuations(agent, runId)).toBeGreaterThan(before + 1);
      });
      await agent.client.decide(runId, decisionFor(request, { ...deny, decision: 'approve' }));
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', calls: 1 });
    });
  }, 60_000);

  it('tells webhooks of a new request while tools are still running that it waits for [run:continue-as-new] [hitl:notify]', async () => {
    const hold = new Hold('executeTool');
    const slow = { parallel: true, maxOutputBytes: 190_000, heartbeatMs: 120_000 };
    const calls = [
      ...['1', '2', '3'].map((line) => ({ tool: 'slow', args: { line } })),
      ...Array.from({ length: FULL }, (_, n) => ({ tool: 'shown', args: { n } })),
      // They wait for room, and need no preview.
      ...['4', '5'].map((n) => ({ tool: 'effect', args: { line: n.repeat(60_000) } })),
    ];
    await withReceiver(async ({ webhook, got }) => {
      await withAgent(
        {
          customTools: [effectTool('slow', 'safe', slow), shown, effectTool('effect', 'mutation')],
          maxParallelCalls: 4,
          hold,
          webhooks: [webhook],
          continueAfterEvents: 150,
          script: [{ calls }, { text: 'done' }],
        },
        async (agent) => {
          const runId = await agent.start();
          await hold.reached();
          const [first, second] = await eventually(async () => {
            const pending = await agent.client.pending(runId);
            expect(pending).toHaveLength(FULL);
            return pending;
          });
          if (!first || !second) throw new Error('more were expected');
          await got(FULL);
          const handle = agent.client.temporal.workflow.getHandle(runId);
          for (let n = 0; n < 160; n += 1) await handle.signal(APPROVAL_SIGNAL, { n });
          // Its execution is held back: the run is to continue as new, and waits for the slow tools.
          await agent.client.decide(runId, decisionFor(first, { ...deny, decision: 'approve' }));
          await agent.client.decide(runId, decisionFor(second, deny));
          await got(FULL + 2);
          expect(scheduled(await agent.history(runId), 'executeTool')).toHaveLength(3);
          hold.release();
          await agent.client.cancel(runId);
          await agent.client.result(runId).catch(() => undefined);
        },
      );
    });
  }, 90_000);
});
