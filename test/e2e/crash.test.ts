import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { decisionFor, type HoldfastClient } from '../../src/client.js';
import type { CallRecord } from '../../src/audit/timeline.js';
import { timelineOf } from '../../src/audit/timeline.js';
import { startEmbeddedServer, stopEmbeddedServer } from '../../src/dev/embedded-server.js';
import { failedWorkflowTasks, scheduled, toldToModel, type History } from '../harness/history.js';
import {
  firstRequest,
  withHoldfast,
  withProcessAgent,
  type ProcessAgent,
} from '../harness/worker-processes.js';

const call = (tool: string, line: string) => ({ calls: [{ tool, args: { line } }] });
const done = { text: 'done' };
const approve = { decision: 'approve', approver: 'ada' } as const;

/** Runs to the end and gives what the history says; the run must have ended by itself, with sound tasks. */
async function finished(
  client: HoldfastClient,
  runId: string,
): Promise<{ history: History; calls: readonly CallRecord[] }> {
  expect(await client.result(runId)).toMatchObject({ status: 'done', text: 'done' });
  const history = await client.temporal.workflow.getHandle(runId).fetchHistory();
  expect(failedWorkflowTasks(history)).toBe(0);
  return { history, calls: timelineOf(history.events ?? []).turns.flatMap((turn) => turn.calls) };
}

const start = (client: HoldfastClient, agent: ProcessAgent): Promise<string> =>
  client.start({ agent: agent.name, prompt: 'Do it.' });

// The first two wait until the loss of a model call is noticed, 10 s each: at the same time.
describe('a run whose worker is killed', () => {
  it.concurrent(
    'during a model call asks the model again and repeats no tool [run:crash] [H24]',
    async () => {
      await withProcessAgent([call('append', 'a'), done], (agent) =>
        withHoldfast(async (client) => {
          await agent.gates.close('turn-1');
          const first = agent.startWorker();
          const runId = await start(client, agent);
          await agent.stopAt('turn-1');
          await first.kill();
          agent.startWorker();
          await agent.stopAt('turn-1', 2);
          await agent.gates.open('turn-1');

          const { history } = await finished(client, runId);
          expect(scheduled(history, 'callModel')).toHaveLength(2);
          expect(timelineOf(history.events ?? []).turns.map((turn) => turn.attempts)).toEqual([1, 2]);
          expect(scheduled(history, 'executeTool')).toHaveLength(1);
          expect(await agent.effects()).toEqual([`a ${runId}:0:0`]);
        }),
      );
    },
  );

  it.concurrent('between calls goes on with the next and repeats none [run:crash]', async () => {
    await withProcessAgent([call('append', 'a'), call('append', 'b'), done], (agent) =>
      withHoldfast(async (client) => {
        await agent.gates.close('a');
        const first = agent.startWorker();
        const runId = await start(client, agent);
        await agent.stopAt('a');
        await agent.gates.close('transcript');
        await agent.gates.open('a');
        // The first call has its outcome; the model has not been asked for the next.
        await agent.stopAt('transcript');
        await first.kill();
        await agent.gates.open('transcript');
        agent.startWorker();

        const { history, calls } = await finished(client, runId);
        expect(calls.map(({ outcome }) => outcome)).toEqual([{ status: 'ok' }, { status: 'ok' }]);
        expect(scheduled(history, 'executeTool')).toHaveLength(2);
        expect(await agent.attempts()).toEqual([`a ${runId}:0:0 1`, `b ${runId}:1:0 1`]);
      }),
    );
  });

  it('in a tool does not start it again, and tells the model that it may have run [run:at-most-once] [H24]', async () => {
    await withProcessAgent([call('append', 'a'), done], (agent) =>
      withHoldfast(async (client) => {
        await agent.gates.close('a');
        const first = agent.startWorker();
        const runId = await start(client, agent);
        await agent.stopAt('a');
        await first.kill();
        await agent.gates.open('a');
        agent.startWorker();

        const { history, calls } = await finished(client, runId);
        expect(calls.map(({ outcome }) => outcome)).toEqual([{ status: 'error', code: 'interrupted' }]);
        expect(toldToModel(history)).toEqual([{ turn: 0, index: 0, status: 'error' }]);
        expect(JSON.stringify(scheduled(history, 'callModel')[1]?.input)).toContain('It may have run');
        expect(await client.status(runId)).toMatchObject({ budget: { errors: 1 } });
        expect(await agent.attempts()).toEqual([`a ${runId}:0:0 1`]);
        expect(await agent.effects()).toEqual([`a ${runId}:0:0`]);
      }),
    );
  });

  it('in an idempotent tool starts it again under the same key [run:idempotency-key] [run:crash] [H24]', async () => {
    await withProcessAgent([call('append_once', 'a'), done], (agent) =>
      withHoldfast(async (client) => {
        await agent.gates.close('a');
        const first = agent.startWorker();
        const runId = await start(client, agent);
        await agent.stopAt('a');
        await first.kill();
        await agent.gates.open('a');
        agent.startWorker();

        const { history, calls } = await finished(client, runId);
        expect(calls.map(({ outcome }) => outcome)).toEqual([{ status: 'ok' }]);
        expect(scheduled(history, 'executeTool')).toHaveLength(1);
        expect(await agent.attempts()).toEqual([`a ${runId}:0:0 1`, `a ${runId}:0:0 2`]);
        expect(await agent.effects()).toEqual([`a ${runId}:0:0`]);
      }),
    );
  });

  it('while a request waits takes a decision given while no worker lives, once [hitl:durable] [run:crash]', async () => {
    await withProcessAgent([call('append_asked', 'a'), done], (agent) =>
      withHoldfast(async (client) => {
        const first = agent.startWorker();
        const runId = await start(client, agent);
        const request = await firstRequest(client, runId);
        await first.kill();
        await client.signalDecision(runId, decisionFor(request, approve));
        agent.startWorker();

        const { history, calls } = await finished(client, runId);
        expect(calls.map(({ outcome }) => outcome)).toEqual([{ status: 'ok' }]);
        expect(scheduled(history, 'executeTool')).toHaveLength(1);
        expect(await agent.attempts()).toEqual([`a ${runId}:0:0 1`]);
      }),
    );
  });
});

describe('a run whose server is killed', () => {
  it('goes on when it is started again on the same database [run:crash]', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
    const path = inject('temporalBinary');
    const options = { stateDir, obtainBinary: async () => ({ path, from: 'the tests', version: '' }) };
    try {
      await withProcessAgent([call('append', 'a'), call('append', 'b'), done], async (agent) => {
        const server = await startEmbeddedServer(options);
        await agent.gates.close('turn-1');
        agent.startWorker({ address: server.address });
        const runId = await withHoldfast((client) => start(client, agent), server.address);
        await agent.stopAt('turn-1');
        process.kill(server.pid, 'SIGKILL');
        const again = await startEmbeddedServer(options);
        expect(again.pid).not.toBe(server.pid);
        await agent.gates.open('turn-1');

        await withHoldfast(async (client) => {
          const { history } = await finished(client, runId);
          expect(scheduled(history, 'executeTool')).toHaveLength(2);
          expect(await agent.attempts()).toEqual([`a ${runId}:0:0 1`, `b ${runId}:1:0 1`]);
        }, again.address);
      });
    } finally {
      await stopEmbeddedServer(stateDir);
      await rm(stateDir, { recursive: true, force: true });
    }
  });
});
