import { describe, expect, it, vi } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { CONTROL_SIGNAL, CONTROL_UPDATE } from '../../src/contract/names.js';
import { defineTool } from '../../src/registry/define-tool.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { failedWorkflowTasks, markers, scheduled } from '../harness/history.js';

const ask = (line: string) => ({ calls: [{ tool: 'effect', args: { line } }] });
const asking = { customTools: [effectTool('effect', 'mutation')] };
const approve = { decision: 'approve', approver: 'ada' } as const;

async function reach(agent: TestAgent, runId: string, phase: string): Promise<void> {
  await vi.waitFor(async () => expect((await agent.client.status(runId)).phase).toBe(phase), {
    timeout: 30_000,
    interval: 50,
  });
}

async function all({ client }: TestAgent, runId: string): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type } of client.follow(runId)) types.push(type);
  return types;
}

describe('an operator', () => {
  it('pauses a run before its next model call, says something, and lets it go on [run:control]', async () => {
    await withAgent({ ...asking, script: [ask('x'), { text: 'done' }] }, async (agent) => {
      const { client } = agent;
      const runId = await agent.start();
      const request = await agent.request(runId);
      expect(await client.pause(runId, 'op')).toEqual({ done: true, action: 'pause' });
      expect(await client.pause(runId, 'op')).toMatchObject({ done: false, code: 'control_refused' });
      await client.decide(runId, decisionFor(request, approve));
      await reach(agent, runId, 'paused');
      expect(scheduled(await agent.history(runId), 'callModel')).toHaveLength(1);
      await client.message(runId, 'Use tabs.', 'op');
      await agent.redeploy();
      expect(await client.resume(runId, 'op')).toEqual({ done: true, action: 'resume' });
      await client.result(runId);
      expect(scheduled(await agent.history(runId), 'callModel').at(-1)?.input).toMatchObject({
        append: [
          { kind: 'tool_result', status: 'ok' },
          { kind: 'user', text: 'Use tabs.' },
        ],
      });
      expect(await client.message(runId, 'late', 'op')).toMatchObject({ done: false, code: 'run_closed' });
    });
  });

  it('is told whether the run has ended or there is none, and so is who decides [run:control] [hitl:decision]', async () => {
    await withAgent({ script: [{ text: 'done' }] }, async ({ client, start }) => {
      const runId = await start();
      await client.result(runId);
      const decision = { jws: 'a.b.c' };
      const ended = { code: 'run_closed', text: 'The run has ended. Start another one.' };
      expect(await client.pause(runId, 'op')).toEqual({ done: false, ...ended });
      expect(await client.decide(runId, decision)).toEqual({ counted: false, ...ended });
      const text = 'The server keeps no run of this id. Look at the id and the namespace.';
      expect(await client.pause('no-such-run', 'op')).toEqual({ done: false, code: 'run_closed', text });
      expect(await client.decide('no-such-run', decision)).toMatchObject({ code: 'run_closed', text });
    });
  });

  it('is heard by a model that was about to end [run:control]', async () => {
    let release: (() => void) | undefined;
    const script = [
      () =>
        new Promise<{ text: string }>((resolve) => {
          release = () => resolve({ text: 'I am done.' });
        }),
      { text: 'Now with tabs.' },
    ];
    await withAgent({ script }, async (agent) => {
      const runId = await agent.start();
      await vi.waitUntil(() => release, { timeout: 30_000 });
      await agent.client.message(runId, 'Use tabs.', 'op');
      release?.();
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', text: 'Now with tabs.' });
    });
  });

  it('ends a grant: the next call asks again [hitl:grants]', async () => {
    await withAgent({ ...asking, script: [ask('1'), ask('2'), { text: 'done' }] }, async (agent) => {
      const { client } = agent;
      const runId = await agent.start();
      const request = await agent.request(runId);
      await client.pause(runId, 'op');
      await client.decide(runId, decisionFor(request, { ...approve, scope: 'run' }));
      await reach(agent, runId, 'paused');
      expect((await client.status(runId)).grants).toMatchObject([{ tool: 'effect', approver: 'ada' }]);
      expect(await client.revoke(runId, 'other', 'op')).toMatchObject({ code: 'control_refused' });
      expect(await client.revoke(runId, 'effect', 'op')).toMatchObject({ done: true });
      await client.resume(runId, 'op');
      const again = await agent.request(runId);
      expect(again.args).toEqual({ line: '2' });
      await client.decide(runId, decisionFor(again, { decision: 'deny', approver: 'ada' }));
      await client.result(runId);
      expect(scheduled(await agent.history(runId), 'executeTool')).toHaveLength(1);
    });
  });

  it('ends a grant also for a call that has not started yet: it asks again [hitl:grants]', async () => {
    let release: (text: string) => void = () => undefined;
    const released = new Promise<string>((resolve) => (release = resolve));
    const slow = defineTool(
      { name: 'slow', description: 'Waits.', riskLevel: 'safe', parameters: { type: 'object' } },
      () => released,
    );
    // Neither may run beside another, so the second waits for the first.
    const queued = { calls: [{ tool: 'slow', args: {} }, ...ask('2').calls] };
    const script = [ask('1'), queued, { text: 'done' }];
    await withAgent({ customTools: [slow, ...asking.customTools], script }, async (agent) => {
      const { client } = agent;
      const runId = await agent.start();
      const first = await agent.request(runId);
      await client.decide(runId, decisionFor(first, { ...approve, scope: 'run' }));
      await vi.waitFor(
        async () => expect(markers(await agent.history(runId), 'guardPaths')).toHaveLength(3),
        { timeout: 30_000, interval: 50 },
      );
      expect(await client.revoke(runId, 'effect', 'op')).toMatchObject({ done: true });
      release('waited');
      const again = await agent.request(runId);
      expect(again.args).toEqual({ line: '2' });
      await client.decide(runId, decisionFor(again, { decision: 'deny', approver: 'ada' }));
      await client.result(runId);
      const ran = scheduled(await agent.history(runId), 'executeTool').map(({ input }) => input);
      expect(ran).toMatchObject([{ tool: 'effect', args: { line: '1' } }, { tool: 'slow' }]);
      expect((await all(agent, runId)).filter((type) => type === 'approval_requested')).toHaveLength(2);
    });
  });

  it('cancels a paused run [run:control]', async () => {
    await withAgent({ ...asking, script: [ask('x')] }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      await agent.client.pause(runId, 'op');
      await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
      await reach(agent, runId, 'paused');
      await agent.client.cancel(runId);
      await expect(agent.client.result(runId)).rejects.toThrow('cancelled');
      expect(await agent.client.status(runId)).toMatchObject({ phase: 'ended', pending: [] });
    });
  });

  it.each([
    ['nothing', undefined],
    ['a string', 'pause'],
    ['an unknown action', { action: 'stop', by: 'op' }],
    ['nobody who asks', { action: 'pause' }],
    ['an empty message', { action: 'message', by: 'op', text: ' ' }],
    ['a message of 100 KB', { action: 'message', by: 'op', text: 'x'.repeat(100_000) }],
  ])('who sends %s is told so and changes nothing [run:control]', async (_what, payload) => {
    await withAgent({ ...asking, script: [ask('x'), { text: 'done' }] }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      const handle = agent.client.temporal.workflow.getHandle(runId);
      await handle.signal(CONTROL_SIGNAL, payload);
      const answer = await handle.executeUpdate(CONTROL_UPDATE, { args: [payload] });
      expect(answer).toMatchObject({ done: false, code: 'malformed_control' });
      const status = await agent.client.status(runId);
      expect(status.messages).toEqual([]);
      expect(status.pausedBy).toBeUndefined();
      await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
      await agent.client.result(runId);
      expect(failedWorkflowTasks(await agent.history(runId))).toBe(0);
    });
  });
});
