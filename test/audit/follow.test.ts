import { describe, expect, inject, it, vi } from 'vitest';
import { HoldfastClient, decisionFor } from '../../src/client.js';
import type { FollowOptions, RunEvent } from '../../src/contract/events.js';
import { CONTROL_SIGNAL } from '../../src/contract/names.js';
import { withAgent, type TestAgent, type TestAgentOptions } from '../harness/agent.js';
import { failedWorkflowTasks } from '../harness/history.js';
import { SERVER_KEY } from '../harness/keys.js';
import { withProxy } from '../harness/proxy.js';
import { effectTool, failingTool } from '../harness/tools.js';

const read = { calls: [{ tool: 'read', args: { path: 'notes.txt' } }] };
const files = { 'notes.txt': 'x\n' };
const asking: TestAgentOptions = {
  customTools: [effectTool('append', 'mutation')],
  script: [{ calls: [{ tool: 'append', args: { line: 'x' } }] }, { text: 'Over.' }],
};

/** Reads the events on and on; `seen` grows while the run goes on. */
function following(client: HoldfastClient, runId: string, options: FollowOptions = {}) {
  const seen: RunEvent[] = [];
  const ended = (async () => {
    for await (const event of client.follow(runId, options)) seen.push(event);
  })();
  const until = (type: RunEvent['type']): Promise<RunEvent> =>
    vi.waitFor(
      () => {
        const found = seen.find((event) => event.type === type);
        if (!found) throw new Error(`no ${type} yet`);
        return found;
      },
      { timeout: 30_000, interval: 20 },
    );
  return { seen, ended, until };
}

async function all(client: HoldfastClient, runId: string, from?: number): Promise<readonly RunEvent[]> {
  const { seen, ended } = following(client, runId, from === undefined ? {} : { from });
  await ended;
  return seen;
}

async function approve({ client, request }: TestAgent, runId: string): Promise<void> {
  const decision = decisionFor(await request(runId), { decision: 'approve', approver: 'ann' });
  expect(await client.decide(runId, decision)).toMatchObject({ counted: true });
}

describe('following the events of a run', () => {
  it('tells of the branch that a reset began, and counts on from where it left [events:stream]', async () => {
    await withAgent(asking, async (agent) => {
      const { client, start, request, history } = agent;
      const runId = await start();
      await request(runId);
      const before = following(client, runId);
      await before.until('approval_requested');
      const events = (await history(runId)).events ?? [];
      const task = events.find((event) => event.workflowTaskCompletedEventAttributes);
      await client.temporal.workflowService.resetWorkflowExecution({
        namespace: client.temporal.options.namespace,
        workflowExecution: { workflowId: runId },
        workflowTaskFinishEventId: task?.eventId ?? null,
        requestId: 'reset',
        reason: 'test',
      });
      await before.ended;
      expect(before.seen.at(-1)).toMatchObject({ type: 'run_end', status: 'terminated' });
      const after = following(client, runId);
      await client.cancel(runId);
      await after.ended;
      expect(after.seen[0]).toEqual(before.seen[0]);
      expect(after.seen.map(({ seq }) => seq)).toEqual(after.seen.map((_event, index) => index + 1));
      expect(after.seen.at(-1)).toMatchObject({ type: 'run_end', status: 'cancelled' });
    });
  });

  it('numbers them over all continuations, the same for every reader from any number [events:stream]', async () => {
    const options = { script: [read, read, { text: 'done' }], files, continueAfterEvents: 1 };
    await withAgent(options, async ({ client, start }) => {
      const runId = await start();
      const live = following(client, runId);
      await live.ended;
      expect(live.seen.map(({ seq }) => seq)).toEqual(live.seen.map((_event, index) => index + 1));
      const types = live.seen.map(({ type }) => type);
      expect(types.filter((type) => type === 'run_continued').length).toBeGreaterThan(2);
      expect(types.filter((type) => type !== 'run_continued')).toEqual([
        'run_start',
        'run_prepared',
        ...[0, 1].flatMap(() => [
          'turn_start',
          'model_answered',
          'tool_checked',
          'tool_execution_start',
          'tool_execution_end',
          'turn_end',
        ]),
        'turn_start',
        'model_answered',
        'turn_end',
        'run_end',
      ]);
      expect(await all(client, runId)).toEqual(live.seen);
      for (const from of [2, 9, 10, live.seen.length, live.seen.length + 1]) {
        expect(await all(client, runId, from)).toEqual(live.seen.slice(from - 1));
      }
    });
  });

  it('tells who is asked and who decided while the run waits and needs no worker for it [events:stream]', async () => {
    await withAgent(asking, async (agent) => {
      const { client } = agent;
      const runId = await agent.start();
      const { seen, ended, until } = following(client, runId);
      const call = { turn: 0, index: 0, toolName: 'append' };
      const { argsDigest } = await agent.request(runId);
      expect(await until('approval_requested')).toMatchObject({ ...call, riskLevel: 'mutation', argsDigest });
      expect(seen.map(({ type }) => type)).not.toContain('tool_execution_start');
      await approve(agent, runId);
      await ended;
      expect(seen.find(({ type }) => type === 'approval_decided')).toMatchObject({
        ...call,
        decision: 'approve',
        scope: 'once',
        approver: 'ann',
        via: 'update',
      });
      expect(seen.find(({ type }) => type === 'tool_execution_start')).toMatchObject({
        ...call,
        argsDigest,
        authorization: 'decision',
      });
      expect(seen.find(({ type }) => type === 'tool_execution_end')).toMatchObject({
        ...call,
        isError: false,
        status: 'ok',
        attempts: 1,
        outputDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(failedWorkflowTasks(await agent.history(runId))).toBe(0);
    });
  });

  it('tells nothing of a signal that the run refused, though nobody was answered [events:stream] [run:control]', async () => {
    await withAgent(asking, async (agent) => {
      const { client } = agent;
      const runId = await agent.start();
      await agent.request(runId);
      const handle = client.temporal.workflow.getHandle(runId);
      const refused = [{ action: 'resume' }, { action: 'revoke', tool: 'append' }];
      const counted = [{ action: 'pause' }, { action: 'resume' }];
      for (const asked of [...refused, ...counted, { action: 'resume' }]) {
        await handle.signal(CONTROL_SIGNAL, { ...asked, by: 'ann' });
      }
      await approve(agent, runId);
      await client.result(runId);
      const types = (await all(client, runId)).map(({ type }) => type);
      const told = types.filter((type) => ['run_paused', 'run_resumed', 'grant_revoked'].includes(type));
      expect(told).toEqual(['run_paused', 'run_resumed']);
    });
  });

  it('tells the budget that is used up while the run waits, and that it was extended [events:stream] [budget:exhausted]', async () => {
    const budgets = { onExhausted: 'pause', maxErrors: 1 } as const;
    const script = [{ calls: [{ tool: 'failing', args: {} }] }, ...asking.script];
    const options = { customTools: [failingTool, effectTool('append', 'mutation')], budgets, script };
    await withAgent(options, async (agent) => {
      const { client, start, history } = agent;
      const runId = await start();
      const { seen, ended, until } = following(client, runId);
      expect(await until('budget_exhausted')).toMatchObject({
        budget: 'maxErrors',
        onExhausted: 'pause',
      });
      expect(seen.at(-2)).toMatchObject({ type: 'tool_execution_end', isError: true, code: 'tool_error' });
      await client.extendBudget(runId, { maxErrors: 2 }, 'ann');
      // A person is asked again from here on.
      await until('approval_requested');
      await approve(agent, runId);
      await ended;
      const types = seen.map(({ type }) => type);
      expect(types.slice(types.indexOf('budget_extended')).slice(0, 6)).toEqual([
        'budget_extended',
        'turn_end',
        'turn_start',
        'model_answered',
        'tool_checked',
        'approval_requested',
      ]);
      expect(seen.find(({ type }) => type === 'budget_extended')).toMatchObject({
        by: 'ann',
        add: { maxErrors: 2 },
      });
      expect(seen.filter(({ type }) => type === 'budget_exhausted')).toHaveLength(1);
      expect(failedWorkflowTasks(await history(runId))).toBe(0);
    });
  });

  it('goes on after the connection was lost, without gaps or repeats [events:stream]', async () => {
    await withAgent(asking, async (agent) => {
      const runId = await agent.start();
      await withProxy(inject('temporalAddress'), async (proxy) => {
        const client = await HoldfastClient.connect({
          connection: { address: proxy.address },
          signer: SERVER_KEY.signer,
        });
        const { seen, ended, until } = following(client, runId);
        await until('approval_requested');
        proxy.cut();
        await approve(agent, runId);
        await agent.client.result(runId);
        expect(seen.at(-1)?.type).toBe('approval_requested');
        proxy.mend();
        await ended;
        expect(seen).toEqual(await all(agent.client, runId));
        await client.close();
      });
    });
  });

  it('gives up with the error of the server when that stays away [events:stream]', async () => {
    await withAgent(asking, async (agent) => {
      const runId = await agent.start();
      await withProxy(inject('temporalAddress'), async (proxy) => {
        const client = await HoldfastClient.connect({
          connection: { address: proxy.address },
          signer: SERVER_KEY.signer,
        });
        const onLost = vi.fn<() => void>();
        const { seen, ended, until } = following(client, runId, { onLost, reconnectMs: 0 });
        const failure = ended.catch((error: unknown) => error);
        await until('approval_requested');
        proxy.cut();
        expect(await failure).toMatchObject({ code: 14 });
        expect(onLost).toHaveBeenCalledTimes(1);
        expect(seen.map(({ type }) => type)).not.toContain('run_end');
        await client.close();
      });
      await agent.client.cancel(runId);
    });
  }, 90_000);

  it('ends without an error when it is aborted, and leaves the run alone [events:stream]', async () => {
    await withAgent(asking, async (agent) => {
      const runId = await agent.start();
      const stop = new AbortController();
      const { ended, until } = following(agent.client, runId, { signal: stop.signal });
      await until('approval_requested');
      stop.abort();
      await ended;
      expect(await agent.client.pending(runId)).toHaveLength(1);
      await approve(agent, runId);
      await agent.client.result(runId);
    });
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses to begin at event %d [events:stream]', async (from) => {
    const client = await HoldfastClient.connect({ connection: { address: inject('temporalAddress') } });
    await expect(client.follow('any', { from }).next()).rejects.toMatchObject({ code: 'invalid_config' });
    await client.close();
  });
});
