import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { decisionFor } from '../../src/client.js';
import {
  runningEmbeddedServer,
  startEmbeddedServer,
  stopEmbeddedServer,
} from '../../src/dev/embedded-server.js';
import { failedWorkflowTasks, scheduled } from '../harness/history.js';
import { firstRequest, withHoldfast, withProcessAgent } from '../harness/worker-processes.js';

describe('a pending request', () => {
  it('is still there after everything was stopped and started again, and runs once [hitl:durable]', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
    const path = inject('temporalBinary');
    const startServer = () =>
      startEmbeddedServer({ stateDir, obtainBinary: async () => ({ path, from: 'the tests', version: '' }) });
    const script = [{ calls: [{ tool: 'append_asked', args: { line: 'a' } }] }, { text: 'done' }];
    try {
      await withProcessAgent(script, async (agent) => {
        const { address } = await startServer();
        const worker = agent.startWorker({ address });
        const [runId, before] = await withHoldfast(async (client) => {
          const id = await client.start({ agent: agent.name, prompt: 'Do it.' });
          return [id, await firstRequest(client, id)] as const;
        }, address);
        await worker.stop();
        expect(await stopEmbeddedServer(stateDir)).toBe(true);
        expect(await runningEmbeddedServer(stateDir)).toBeUndefined();

        const again = await startServer();
        agent.startWorker({ address: again.address });
        await withHoldfast(async (client) => {
          const request = await firstRequest(client, runId);
          expect(request).toEqual(before);
          expect(await agent.attempts()).toEqual([]);
          const decision = decisionFor(request, { decision: 'approve', approver: 'ada' });
          expect(await client.decide(runId, decision)).toMatchObject({ counted: true });
          expect(await client.result(runId)).toMatchObject({ status: 'done', calls: 1 });
          const history = await client.temporal.workflow.getHandle(runId).fetchHistory();
          expect(scheduled(history, 'executeTool')).toHaveLength(1);
          expect(failedWorkflowTasks(history)).toBe(0);
          expect(await agent.attempts()).toEqual([`a ${runId}:0:0 1`]);
        }, again.address);
      });
    } finally {
      await stopEmbeddedServer(stateDir);
      await rm(stateDir, { recursive: true, force: true });
    }
  });
});
