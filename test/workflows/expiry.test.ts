import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { describe, expect, it, vi } from 'vitest';
import { timelineOf } from '../../src/audit/timeline.js';
import { decisionFor, type HoldfastClient } from '../../src/client.js';
import type { DecisionAnswer } from '../../src/contract/decision.js';
import { MODEL_TEXTS } from '../../src/policy/model-texts.js';
import { failedWorkflowTasks, markers, scheduled, type History } from '../harness/history.js';
import { withTimeSkipping } from '../harness/temporal.js';
import {
  firstRequest,
  withHoldfast,
  withProcessAgent,
  type ProcessAgent,
  type WorkerProcess,
} from '../harness/worker-processes.js';

const HOUR = 3600_000;
const ask = (line: string) => ({ calls: [{ tool: 'append_asked', args: { line } }] });
const done = { text: 'done' };
const approve = { decision: 'approve', approver: 'ada' } as const;

interface Expiry {
  readonly server: TestWorkflowEnvironment;
  readonly agent: ProcessAgent;
  readonly client: HoldfastClient;
  readonly runId: string;
  startWorker(): WorkerProcess;
  history(): Promise<History>;
}

/** A run of the gated agent, whose requests wait 24 hours, where time is skipped only when the test says so. */
async function withRun(
  script: Parameters<typeof withProcessAgent>[0],
  body: (expiry: Expiry) => Promise<void>,
): Promise<void> {
  await withTimeSkipping((server) =>
    withProcessAgent(script, (agent) =>
      withHoldfast(async (client) => {
        const runId = await client.start({ agent: agent.name, prompt: 'Do it.' });
        const history = () => client.temporal.workflow.getHandle(runId).fetchHistory();
        // This server never takes a task back that it keeps for the cache of a dead worker.
        const startWorker = () => agent.startWorker({ address: server.address, cached: false });
        await body({ server, agent, startWorker, client, runId, history });
      }, server.address),
    ),
  );
}

const outcomes = (history: History) =>
  timelineOf(history.events ?? []).turns.flatMap((turn) => turn.calls.map(({ outcome }) => outcome?.status));

/** All that stands in the history, the contents of its payloads included. */
function textOf(history: History): string {
  const json = historyToJSON(history);
  const payloads = [...json.matchAll(/"data": "([^"]*)"/g)];
  return [json, ...payloads.map(([, data = '']) => Buffer.from(data, 'base64').toString())].join('\n');
}

/** Times of the first event of a type, milliseconds since the epoch. */
function timeOf(
  history: History,
  attributes: 'timerStartedEventAttributes' | 'timerFiredEventAttributes',
): number {
  const event = history.events?.find((e) => e[attributes]);
  return Number(event?.eventTime?.seconds) * 1000 + Number(event?.eventTime?.nanos) / 1e6;
}

describe('a request that nobody decides', () => {
  it('expires: nothing runs, nobody is named, and the model is told not to seek another way [hitl:expire] [H16]', async () => {
    await withRun([ask('a'), done], async ({ server, agent, startWorker, client, runId, history }) => {
      startWorker();
      await firstRequest(client, runId);
      await server.sleep(24 * HOUR);
      expect(await client.result(runId)).toMatchObject({
        status: 'done',
        budget: { errors: 0, consecutiveErrors: 0, consecutiveDenials: 1 },
      });
      const events = await history();
      expect(outcomes(events)).toEqual(['expired']);
      expect(scheduled(events, 'executeTool')).toEqual([]);
      expect(markers(events, 'validateApproval')).toEqual([]);
      expect(await agent.attempts()).toEqual([]);
      expect(textOf(events)).not.toMatch(/approver/i);
      expect(await client.status(runId)).toMatchObject({
        pending: [],
        settled: [{ how: 'expired' }],
      });
      expect(JSON.stringify(scheduled(events, 'callModel')[1]?.input)).toContain(MODEL_TEXTS.expired);
      expect(MODEL_TEXTS.expired).toMatch(/^Nobody decided .* do not try another way/);
    });
  });

  it('expires at its time although its worker was replaced meanwhile [hitl:expire] [hitl:durable] [H16]', async () => {
    await withRun([ask('a'), done], async ({ server, startWorker, client, runId, history }) => {
      const first = startWorker();
      const request = await firstRequest(client, runId);
      const { requestedAt, expiresAt } = request;
      expect(expiresAt - requestedAt).toBe(24 * HOUR);
      await server.sleep(12 * HOUR);
      await first.kill();
      startWorker();
      expect(await firstRequest(client, runId)).toEqual(request);
      await server.sleep(12 * HOUR);
      await client.result(runId);
      const events = await history();
      expect(outcomes(events)).toEqual(['expired']);
      expect(events.events?.filter((event) => event.timerStartedEventAttributes)).toHaveLength(1);
      const fired = timeOf(events, 'timerFiredEventAttributes');
      expect(fired).toBeGreaterThanOrEqual(expiresAt);
      expect(fired - timeOf(events, 'timerStartedEventAttributes')).toBeLessThan(25 * HOUR);
    });
  });

  it('takes no decision after that [hitl:expire] [hitl:stale] [H16]', async () => {
    await withRun(
      [ask('a'), ask('b'), done],
      async ({ server, agent, startWorker, client, runId, history }) => {
        startWorker();
        const request = await firstRequest(client, runId);
        await server.sleep(25 * HOUR);
        const late = await client.decide(runId, decisionFor(request, approve));
        expect(late).toMatchObject({ counted: false, code: 'request_expired' });
        await client.signalDecision(runId, decisionFor(request, approve));
        const other = await firstRequest(client, runId);
        expect(await client.decide(runId, decisionFor(other, approve))).toMatchObject({ counted: true });
        await client.result(runId);
        const events = await history();
        expect(outcomes(events)).toEqual(['expired', 'ok']);
        expect(await agent.attempts()).toEqual([`b ${runId}:1:0 1`]);
        expect(failedWorkflowTasks(events)).toBe(0);
      },
    );
  });
});

/** Both in one task, which does not say to the workflow which came first. */
async function expectOneTask(
  { agent, client, runId, history }: Pick<Expiry, 'agent' | 'client' | 'runId' | 'history'>,
  first: 'signal' | 'timer',
): Promise<void> {
  await client.result(runId);
  const events = await history();
  const order = (events.events ?? []).flatMap((event) => {
    if (event.workflowExecutionSignaledEventAttributes) return ['signal'];
    if (event.timerFiredEventAttributes) return ['timer'];
    return event.workflowTaskCompletedEventAttributes ? ['task'] : [];
  });
  expect(order.slice(-4)).toEqual([
    ...(first === 'signal' ? ['signal', 'timer'] : ['timer', 'signal']),
    'task',
    'task',
  ]);
  expect(outcomes(events)).toEqual(['expired']);
  expect(markers(events, 'validateApproval').map(({ result }) => result)).toMatchObject([
    { accepted: false, code: 'request_expired' },
  ]);
  expect(scheduled(events, 'executeTool')).toEqual([]);
  expect(await agent.attempts()).toEqual([]);
}

describe('a decision at the moment of expiry', () => {
  it('that is sent after it never counts, also when no worker lived to see the order [hitl:expire] [hitl:stale] [H16]', async () => {
    await withRun([ask('a'), done], async (expiry) => {
      const { server, startWorker, client, runId } = expiry;
      const first = startWorker();
      const request = await firstRequest(client, runId);
      await first.kill();
      await server.sleep(24 * HOUR);
      await client.signalDecision(runId, decisionFor(request, approve));
      startWorker();
      await expectOneTask(expiry, 'timer');
    });
  });

  it('that is sent before it to no worker counts as late, since nothing proves that it was not [hitl:expire] [H16]', async () => {
    // Where time is skipped it stands still while a task waits for a worker, so this is the ordinary server.
    await withProcessAgent([ask('a'), done], (agent) =>
      withHoldfast(async (client) => {
        const startWorker = () => agent.startWorker({ approvalTimeoutMs: 5_000 });
        const first = startWorker();
        const runId = await client.start({ agent: agent.name, prompt: 'Do it.' });
        const history = () => client.temporal.workflow.getHandle(runId).fetchHistory();
        const request = await firstRequest(client, runId);
        await first.kill();
        await client.signalDecision(runId, decisionFor(request, approve));
        const fired = async () => (await history()).events?.some((event) => event.timerFiredEventAttributes);
        await vi.waitUntil(fired, { timeout: 30_000, interval: 100 });
        startWorker();
        await expectOneTask({ agent, client, runId, history }, 'signal');
      }),
    );
  });

  it('wins or loses as a whole: what is answered is what happens [hitl:expire] [hitl:stale] [H16]', async () => {
    const lines = ['a', 'b', 'c', 'd'];
    await withRun(
      [...lines.map(ask), done],
      async ({ server, agent, startWorker, client, runId, history }) => {
        startWorker();
        const answers: DecisionAnswer[] = [];
        for (const turn of lines.keys()) {
          const request = await vi.waitUntil(
            async () => (await client.pending(runId)).find(({ call }) => call.turn === turn),
            { timeout: 30_000, interval: 50 },
          );
          const steps = [
            async () => {
              answers.push(await client.decide(runId, decisionFor(request, approve)));
            },
            () => server.sleep(24 * HOUR),
          ];
          await Promise.all((turn % 2 === 0 ? steps : steps.toReversed()).map((step) => step()));
        }
        await client.result(runId);
        expect(outcomes(await history())).toEqual(answers.map(({ counted }) => (counted ? 'ok' : 'expired')));
        const refused = answers.flatMap((answer) => (answer.counted ? [] : [answer.code]));
        expect(refused).toEqual(refused.map(() => 'request_expired'));
        const ran = (await agent.attempts()).map((attempt) => attempt.split(' ')[0]);
        expect(ran).toEqual(lines.filter((_line, turn) => answers[turn]?.counted));
      },
    );
  });
});
