import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { longJob } from '../../examples/long-job/agent.js';
import { loadAgents } from '../../src/cli/load-agents.js';
import { withAgent } from '../harness/agent.js';
import { failedWorkflowTasks, scheduled } from '../harness/history.js';

const REPORTS = fileURLToPath(new URL('../../examples/long-job/workspace/reports', import.meta.url));

describe('the long job', () => {
  it('is an agent module whose tools only read [surface:allow]', async () => {
    const [agent] = await loadAgents(['examples/long-job/agent.ts']);
    expect(agent).toMatchObject({ name: 'long-job', tools: ['ls', 'read', 'grep'] });
  });

  it('waits when its turns are used up, over a change of workers, and ends its work once they are extended [budget:exhausted] [budget:turns] [budget:durable]', async () => {
    await withAgent({ script: [], define: longJob }, async (agent) => {
      await cp(REPORTS, join(agent.workspace, 'reports'), { recursive: true });
      const runId = await agent.start('Go through reports/.');
      await vi.waitFor(
        async () =>
          expect(await agent.client.status(runId)).toMatchObject({
            phase: 'exhausted',
            exhausted: 'maxTurns',
            turn: 20,
          }),
        { timeout: 60_000, interval: 100 },
      );
      await agent.redeploy();
      await agent.client.extendBudget(runId, { maxTurns: 40 }, 'op');
      expect(await agent.client.result(runId)).toMatchObject({
        status: 'done',
        text: 'Days 7 and 19 tell of a failure.',
        budget: { errors: 0 },
      });
      const events = await agent.history(runId);
      expect(scheduled(events, 'executeTool')).toHaveLength(25);
      expect(failedWorkflowTasks(events)).toBe(0);
    });
  });
});
