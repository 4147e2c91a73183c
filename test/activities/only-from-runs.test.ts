import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { taskQueueOf } from '../../src/contract/names.js';
import { withAgent } from '../harness/agent.js';
import { scheduled } from '../harness/history.js';
import { effectTool } from '../harness/tools.js';

describe('an activity that a server starts without a run', () => {
  it.each(['executeTool', 'callModel', 'prepareRun', 'announceRequest', 'guardPaths'])(
    'is refused, so that nothing runs that was not checked and approved: %s [run:activities] [hitl:signed]',
    async (name) => {
      const script = [{ calls: [{ tool: 'effect', args: { line: 'one' } }] }, { text: 'done' }];
      const options = { customTools: [effectTool('effect', 'mutation')], script };
      await withAgent(options, async (agent) => {
        const runId = await agent.start();
        const request = await agent.request(runId);
        await agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'ada' }));
        await agent.client.result(runId);
        // The very input that ran once, with everything in it that binds and allows it.
        const [ran] = scheduled(await agent.history(runId), 'executeTool');
        const started = agent.client.temporal.activity.execute(name, {
          id: `${name}-${runId}`,
          taskQueue: taskQueueOf(agent.name),
          args: [ran?.input],
          scheduleToCloseTimeout: '20 seconds',
          retry: { maximumAttempts: 1 },
        });
        await expect(started).rejects.toMatchObject({ cause: { type: 'holdfast.binding_mismatch' } });
        expect(await readFile(join(agent.workspace, 'effects.txt'), 'utf8')).toBe('one\n');
      });
    },
  );
});
