import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { defineTool } from '../../src/registry/define-tool.js';
import { withAgent } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { scheduled, toldToModel } from '../harness/history.js';

const call = (tool: string, line: string) => ({ tool, args: { line } });

describe('a turn of several calls', () => {
  it('runs the free ones at once, decides each gated one on its own, and answers in order [hitl:parallel] [H18]', async () => {
    const calls = [call('free', 'A'), call('gated', 'B'), call('gated', 'C'), { tool: 'gated', args: {} }];
    const options = {
      customTools: [effectTool('free', 'safe'), effectTool('gated', 'mutation')],
      script: [{ calls }, { text: 'done' }],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      const [b, c] = await vi.waitFor(
        async () => {
          const status = await agent.client.status(runId);
          expect(status.pending).toHaveLength(2);
          expect(status.calls).toBe(2);
          return status.pending;
        },
        { timeout: 30_000, interval: 50 },
      );
      if (!b || !c) throw new Error('two requests were expected');
      await agent.client.decide(runId, decisionFor(c, { decision: 'approve', approver: 'ada' }));
      await agent.redeploy();
      await agent.client.decide(runId, decisionFor(b, { decision: 'deny', approver: 'ada' }));
      await agent.client.result(runId);
      const events = await agent.history(runId);
      expect(toldToModel(events).map(({ index, status }) => [index, status])).toEqual([
        [0, 'ok'],
        [1, 'denied'],
        [2, 'ok'],
        [3, 'error'],
      ]);
      const ran = scheduled(events, 'executeTool').map(({ input }) => (input as { args: object }).args);
      expect(ran).toEqual([{ line: 'A' }, { line: 'C' }]);
      expect(scheduled(events, 'callModel')).toHaveLength(2);
    });
  });

  it.each([
    { what: 'a tool that may not run beside others', parallel: false, maxParallelCalls: 10, most: 1 },
    { what: 'a parallel tool', parallel: true, maxParallelCalls: 10, most: 3 },
    { what: 'a parallel tool of an agent that runs two', parallel: true, maxParallelCalls: 2, most: 2 },
  ])(
    'runs $what $most at a time [tool:def] [hitl:parallel]',
    async ({ parallel, maxParallelCalls, most }) => {
      let running = 0;
      let peak = 0;
      const release: (() => void)[] = [];
      const slow = defineTool(
        {
          name: 'slow',
          description: 'Waits.',
          riskLevel: 'safe',
          parallel,
          repeatable: true,
          parameters: { type: 'object' },
        },
        () =>
          new Promise<string>((resolve) => {
            running += 1;
            peak = Math.max(peak, running);
            release.push(() => {
              running -= 1;
              resolve('ok');
            });
          }),
      );
      const slowCall = { tool: 'slow', args: {} };
      const script = [{ calls: [slowCall, slowCall, slowCall] }, { text: 'done' }];
      await withAgent({ customTools: [slow], maxParallelCalls, script }, async (agent) => {
        const runId = await agent.start();
        for (let released = 0; released < 3; released += 1) {
          const expected = Math.min(3, released + most);
          await vi.waitUntil(() => release.length >= expected, { timeout: 30_000 });
          release[released]?.();
        }
        await agent.client.result(runId);
        expect(peak).toBe(most);
      });
    },
  );
});

describe('an approved call whose directory was swapped for a link meanwhile', () => {
  it('runs nothing, writes nothing outside, and the run goes on [path:at-use] [H06]', async () => {
    const write = { tool: 'write', args: { path: 'dir/f', content: 'X' } };
    const options = {
      enableWriteTools: true,
      files: { 'dir/old': 'x' },
      script: [{ calls: [write] }, { text: 'done' }],
    };
    await withAgent(options, async (agent) => {
      const outside = join(agent.workspace, '..', 'outside');
      await mkdir(outside);
      const runId = await agent.start();
      const request = await agent.request(runId);
      await rm(join(agent.workspace, 'dir'), { recursive: true });
      await symlink(outside, join(agent.workspace, 'dir'));
      await agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'ada' }));
      const result = await agent.client.result(runId);
      expect(result).toMatchObject({ status: 'done', budget: { errors: 1 } });
      expect(await readdir(outside)).toEqual([]);
      const models = scheduled(await agent.history(runId), 'callModel');
      expect(models.at(-1)?.input).toMatchObject({ append: [{ status: 'error', code: 'path_changed' }] });
    });
  });
});
