import { describe, expect, it } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { watchRun } from '../../src/cli/dev/watch-run.js';
import { withAgent } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';

describe('watching a run', () => {
  it('asks about every request once, also of a free tool that is asked about by policy [risk:require-approval-for]', async () => {
    const calls = ['free', 'gated'].map((tool) => ({ tool, args: { line: tool } }));
    const options = {
      customTools: [effectTool('free', 'safe'), effectTool('gated', 'mutation')],
      requireApprovalFor: ['free'],
      script: [{ calls }, { text: 'done' }],
    };
    await withAgent(options, async ({ client, start }) => {
      const runId = await start();
      const asked: string[] = [];
      const timeline = await watchRun({
        client,
        runId,
        show: () => undefined,
        signal: new AbortController().signal,
        onRequest: async (request) => {
          asked.push(request.tool);
          await client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'ada' }));
        },
      });
      expect(asked).toEqual(['free', 'gated']);
      expect(timeline.end).toMatchObject({ status: 'completed' });
    });
  });
});
