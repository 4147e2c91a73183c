import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { decisionFor, type DecisionDraft } from '../../src/client.js';
import type { Decision } from '../../src/contract/decision.js';
import { withAgent, type TestAgent, type TestAgentOptions } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { failedWorkflowTasks, markers, scheduled, toldToModel } from '../harness/history.js';

const approve: DecisionDraft = { decision: 'approve', approver: 'ada' };
const callEffect = (line: string) => ({ calls: [{ tool: 'effect', args: { line } }] });
const gated = (script: TestAgentOptions['script']): TestAgentOptions => ({
  customTools: [effectTool('effect', 'mutation')],
  script,
});
const effects = (agent: TestAgent): Promise<string> =>
  readFile(join(agent.workspace, 'effects.txt'), 'utf8').catch(() => '');

describe('a call that asks', () => {
  it.each(['update', 'signal'] as const)(
    'runs exactly what was shown after an approval by %s [hitl:signal] [hitl:decision] [risk:mutation]',
    async (way) => {
      await withAgent(gated([callEffect('x'), { text: 'done' }]), async (agent) => {
        const runId = await agent.start();
        const request = await agent.request(runId);
        expect(request).toMatchObject({
          tool: 'effect',
          args: { line: 'x' },
          riskLevel: 'mutation',
          grantable: true,
        });
        expect(scheduled(await agent.history(runId), 'executeTool')).toEqual([]);
        const decision = decisionFor(request, approve);
        if (way === 'signal') await agent.client.signalDecision(runId, decision);
        else await agent.client.decide(runId, decision);
        await agent.client.result(runId);
        const events = await agent.history(runId);
        const [execution] = scheduled(events, 'executeTool');
        const { decisionId, argsDigest, requestKey } = decision;
        expect(execution?.input).toMatchObject({
          args: { line: 'x' },
          authorization: {
            kind: 'decision',
            requestKey,
            decisionId,
            approver: 'ada',
            decision: 'approve',
            argsDigest,
          },
        });
        const [judged] = markers(events, 'validateApproval');
        expect(judged?.eventId).toBeLessThan(execution?.eventId ?? 0);
        expect(judged?.result).toMatchObject({ accepted: true, decision });
        expect(await effects(agent)).toBe('x\n');
      });
    },
  );

  it('that is denied never runs, and the model reads the reason as written [hitl:deny] [H17]', async () => {
    const reason = 'use the copy; "quotes" and\nnewline';
    await withAgent(gated([callEffect('x'), callEffect('y'), { text: 'done' }]), async (agent) => {
      const runId = await agent.start();
      const deny = { decision: 'deny', approver: 'ada' } as const;
      const first = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(first, { ...deny, reason }));
      const second = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(second, deny));
      const result = await agent.client.result(runId);
      const events = await agent.history(runId);
      expect(scheduled(events, 'executeTool')).toEqual([]);
      expect(toldToModel(events).map(({ status }) => status)).toEqual(['denied', 'denied']);
      expect(result.budget).toMatchObject({ errors: 0, consecutiveErrors: 0, consecutiveDenials: 2 });
      const told = agent.model.requests.map((r) => JSON.stringify(r.messages.at(-1)));
      expect(told[1]).toContain(JSON.stringify(reason).slice(1, -1));
      expect(told[1]).toContain('declined');
      expect(told[2]).toContain('No reason was given');
    });
  });

  it('takes an edit only when it passes schema and guard again, and tells the model [hitl:revalidated] [hitl:edit-told] [H15]', async () => {
    await withAgent(
      {
        enableWriteTools: true,
        script: [{ calls: [{ tool: 'write', args: { path: 'a', content: 'x' } }] }, { text: 'done' }],
      },
      async (agent) => {
        const runId = await agent.start();
        const request = await agent.request(runId);
        const edit = (args: Decision['args'] & object) =>
          agent.client.decide(runId, decisionFor(request, { decision: 'edit', approver: 'ada', args }));
        const pending = async () => (await agent.client.pending(runId)).map((r) => r.requestKey);

        const outside = await edit({ path: '../o', content: 'y' });
        expect(outside).toMatchObject({ counted: false, code: 'edit_refused' });
        const extra = await edit({ path: 'a', content: 'y', extra: 1 });
        expect(extra).toMatchObject({ counted: false, code: 'edit_invalid' });
        expect(await pending()).toEqual([request.requestKey]);
        expect(await edit({ path: 'a', content: 'y' })).toMatchObject({ counted: true, decision: 'edit' });

        await agent.client.result(runId);
        expect(await readFile(join(agent.workspace, 'a'), 'utf8')).toBe('y');
        const events = await agent.history(runId);
        const executions = scheduled(events, 'executeTool');
        expect(executions).toHaveLength(1);
        expect(executions[0]?.input).toMatchObject({
          args: { path: 'a', content: 'y' },
          authorization: { kind: 'decision', decision: 'edit' },
        });
        const verdicts = markers(events, 'validateApproval').map(
          (m) => (m.result as { accepted: boolean }).accepted,
        );
        expect(verdicts).toEqual([false, false, true]);
        const told = JSON.stringify(agent.model.requests[1]?.messages.at(-1));
        expect(told).toContain('A person changed the arguments');
        expect(told).toContain(JSON.stringify('{"content":"y","path":"a"}').slice(1, -1));
      },
    );
  });

  it('cannot be turned into another tool or risk by an edit [hitl:revalidated]', async () => {
    await withAgent(gated([callEffect('x'), { text: 'done' }]), async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      const edit = decisionFor(request, { decision: 'edit', approver: 'ada', args: { line: 'y' } });
      for (const [smuggled, code] of [
        [{ tool: 'write' }, 'digest_mismatch'],
        [{ riskLevel: 'safe' }, 'malformed_decision'],
      ] as const) {
        const answer = await agent.client.decide(runId, {
          ...edit,
          ...smuggled,
          decisionId: JSON.stringify(smuggled),
        });
        expect(answer).toMatchObject({ counted: false, code });
      }
      await agent.client.decide(runId, edit);
      await agent.client.result(runId);
      expect(scheduled(await agent.history(runId), 'executeTool')[0]?.input).toMatchObject({
        tool: 'effect',
      });
      expect(await effects(agent)).toBe('y\n');
    });
  });

  it('is not moved by a decision for another request, run, digest or an earlier one [hitl:stale] [H14]', async () => {
    await withAgent(gated([callEffect('a'), callEffect('b'), { text: 'done' }]), async (agent) => {
      const [runId, otherRun] = [await agent.start(), await agent.start()];
      const a = await agent.request(runId);
      const other = await agent.request(otherRun);
      const deny = decisionFor(a, { decision: 'deny', approver: 'ada' });
      const denied = await agent.client.decide(runId, deny);
      expect(denied).toMatchObject({ counted: true });
      expect(await agent.client.decide(runId, deny)).toEqual(denied);
      const b = await agent.request(runId);

      const stale = [
        [decisionFor(a, approve), 'request_decided'],
        [decisionFor(other, approve), 'wrong_run'],
        [decisionFor({ ...b, requestKey: 'k' }, approve), 'unknown_request'],
        [decisionFor({ ...b, argsDigest: a.argsDigest }, approve), 'digest_mismatch'],
        [{ ...decisionFor(b, approve), cwd: null }, 'cwd_not_permitted'],
      ] as const;
      for (const [decision, code] of stale) {
        expect(await agent.client.decide(runId, decision)).toMatchObject({ counted: false, code });
      }
      expect((await agent.client.pending(runId)).map((r) => r.requestKey)).toEqual([b.requestKey]);
      expect(scheduled(await agent.history(runId), 'executeTool')).toEqual([]);
      await agent.client.decide(runId, decisionFor(b, approve));
      await agent.client.result(runId);
      expect(await effects(agent)).toBe('b\n');
      await agent.client.decide(otherRun, decisionFor(other, { decision: 'deny', approver: 'ada' }));
      await agent.client.cancel(otherRun);
    });
  });

  it('is decided by exactly one of two decisions at once [hitl:stale]', async () => {
    await withAgent(gated([callEffect('x'), { text: 'done' }]), async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      const answers = await Promise.all([
        agent.client.decide(runId, decisionFor(request, approve)),
        agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'bob' })),
      ]);
      expect(answers.map((a) => a.counted).toSorted()).toEqual([false, true]);
      expect(answers.find((a) => !a.counted)).toMatchObject({ code: 'request_decided' });
      await agent.client.result(runId);
      const approved = answers[0].counted;
      expect(scheduled(await agent.history(runId), 'executeTool')).toHaveLength(approved ? 1 : 0);
    });
  });

  it('asks once for the run when granted, and every time when destructive [risk:mutation] [risk:always]', async () => {
    await withAgent(
      {
        customTools: [effectTool('effect', 'mutation'), effectTool('wipe', 'destructive')],
        script: [
          callEffect('1'),
          callEffect('2'),
          { calls: [{ tool: 'wipe', args: { line: '3' } }] },
          { calls: [{ tool: 'wipe', args: { line: '4' } }] },
          { text: 'done' },
        ],
      },
      async (agent) => {
        const runId = await agent.start();
        await agent.client.decide(
          runId,
          decisionFor(await agent.request(runId), { ...approve, scope: 'run' }),
        );
        const third = await agent.request(runId);
        expect(third).toMatchObject({ tool: 'wipe', grantable: false });
        const whole = await agent.client.decide(runId, decisionFor(third, { ...approve, scope: 'run' }));
        expect(whole).toMatchObject({ counted: false, code: 'grant_not_allowed' });
        await agent.client.decide(runId, decisionFor(third, approve));
        await agent.client.decide(runId, decisionFor(await agent.request(runId), approve));
        await agent.client.result(runId);
        const kinds = scheduled(await agent.history(runId), 'executeTool').map(
          ({ input }) => (input as { authorization: { kind: string } }).authorization.kind,
        );
        expect(kinds).toEqual(['decision', 'grant', 'decision', 'decision']);
        expect(await effects(agent)).toBe('1\n2\n3\n4\n');
      },
    );
  });

  it.each([
    { point: 'before the call was checked', at: <T>(tasks: readonly T[]) => tasks[1] },
    { point: 'after the request was made', at: <T>(tasks: readonly T[]) => tasks.at(-1) },
  ])(
    'is asked anew after a reset to $point; the old decision never counts [hitl:decision]',
    async ({ at }) => {
      await withAgent(gated([callEffect('x'), { text: 'done' }]), async (agent) => {
        const runId = await agent.start();
        const request = await agent.request(runId);
        const before = await agent.history(runId);
        const tasks = (before.events ?? []).flatMap((e) =>
          e.workflowTaskCompletedEventAttributes && e.eventId ? [e.eventId] : [],
        );
        await agent.client.signalDecision(runId, decisionFor(request, approve));
        await agent.client.result(runId);
        expect(await effects(agent)).toBe('x\n');

        // The server gives the reset run the old signals again.
        await agent.client.temporal.workflowService.resetWorkflowExecution({
          namespace: 'default',
          workflowExecution: { workflowId: runId },
          reason: 'test',
          workflowTaskFinishEventId: at(tasks) ?? null,
          requestId: randomUUID(),
        });
        const anew = await agent.request(runId);
        expect(anew.requestKey).not.toBe(request.requestKey);
        await vi.waitFor(
          async () => {
            const judged = markers(await agent.history(runId), 'validateApproval');
            expect(judged.at(-1)?.result).toMatchObject({ accepted: false, code: 'unknown_request' });
          },
          { timeout: 30_000, interval: 100 },
        );
        await agent.client.decide(runId, decisionFor(anew, { decision: 'deny', approver: 'ada' }));
        await agent.client.result(runId);
        expect(await effects(agent)).toBe('x\n');
      });
    },
  );

  it('that was decided before the point of a reset stays decided, and the run goes on [hitl:decision] [run:deterministic]', async () => {
    await withAgent(gated([callEffect('x'), callEffect('y'), { text: 'done' }]), async (agent) => {
      const runId = await agent.start();
      await agent.client.decide(runId, decisionFor(await agent.request(runId), approve));
      const second = await vi.waitFor(
        async () => {
          const [request] = await agent.client.pending(runId);
          expect(request?.call.turn).toBe(1);
          return request;
        },
        { timeout: 30_000, interval: 50 },
      );
      const events = (await agent.history(runId)).events ?? [];
      const tasks = events.flatMap((e) =>
        e.workflowTaskCompletedEventAttributes && e.eventId ? [e.eventId] : [],
      );
      await agent.client.temporal.workflowService.resetWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: runId },
        reason: 'test',
        workflowTaskFinishEventId: tasks.at(-1) ?? null,
        requestId: randomUUID(),
      });
      await agent.redeploy();
      const anew = await vi.waitFor(
        async () => {
          const request = await agent.request(runId);
          expect(request.requestKey).not.toBe(second?.requestKey);
          return request;
        },
        { timeout: 30_000, interval: 50 },
      );
      await agent.client.decide(runId, decisionFor(anew, approve));
      await agent.client.result(runId);
      expect(await effects(agent)).toBe('x\ny\n');
    });
  });

  it('gives the same payload the same answer, and another one under its id none [hitl:stale]', async () => {
    await withAgent(gated([callEffect('a'), callEffect('b'), { text: 'done' }]), async (agent) => {
      const runId = await agent.start();
      const first = { ...decisionFor(await agent.request(runId), approve), decisionId: 'same' };
      const answer = await agent.client.decide(runId, first);
      expect(await agent.client.decide(runId, first)).toEqual(answer);
      const b = await agent.request(runId);
      const deny = decisionFor(b, { decision: 'deny', approver: 'bob' });
      const reused = await agent.client.decide(runId, { ...deny, decisionId: 'same' });
      expect(reused).toMatchObject({ counted: false, code: 'decision_id_reused' });
      expect(await agent.client.pending(runId)).toHaveLength(1);
      for (const _ of [1, 2]) {
        const nameless = await agent.client.decide(runId, { ...deny, decisionId: '' });
        expect(nameless).toMatchObject({ counted: false, code: 'malformed_decision' });
      }
      expect(markers(await agent.history(runId), 'validateApproval')).toHaveLength(5);
      await agent.client.decide(runId, deny);
      await agent.client.result(runId);
      expect(await effects(agent)).toBe('a\n');
    });
  });

  it('lets many large edits of one turn through [run:payloads] [hitl:edit-told]', async () => {
    const calls = Array.from({ length: 9 }, (_, n) => ({ tool: 'effect', args: { line: String(n) } }));
    const options = {
      ...gated([{ text: 'w'.repeat(100_000), calls }, { text: 'done' }]),
      continueAfterEvents: 1,
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      const requests = await vi.waitFor(
        async () => {
          const pending = await agent.client.pending(runId);
          expect(pending).toHaveLength(9);
          return pending;
        },
        { timeout: 30_000, interval: 50 },
      );
      for (const request of requests) {
        const args = { line: `${String(request.call.index)}${'e'.repeat(250_000)}` };
        await agent.client.decide(runId, decisionFor(request, { decision: 'edit', approver: 'ada', args }));
      }
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', calls: 9 });
      expect((await agent.client.status(runId)).continuations).toBeGreaterThan(0);
      expect(failedWorkflowTasks(await agent.history(runId))).toBe(0);
    });
  });

  it('carries a grant over continuing as new [risk:mutation] [run:continue-as-new]', async () => {
    const options = {
      ...gated([callEffect('a'), callEffect('b'), { text: 'done' }]),
      continueAfterEvents: 1,
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, { ...approve, scope: 'run' }));
      await agent.client.result(runId);
      expect(await effects(agent)).toBe('a\nb\n');
      expect((await agent.client.status(runId)).grants).toMatchObject([{ tool: 'effect', approver: 'ada' }]);
    });
  });

  it('outlives its worker: the next one takes the decision [hitl:durable]', async () => {
    await withAgent(gated([callEffect('x'), { text: 'done' }]), async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      await agent.redeploy();
      expect(await agent.client.decide(runId, decisionFor(request, approve))).toMatchObject({
        counted: true,
      });
      await agent.client.result(runId);
      expect(await effects(agent)).toBe('x\n');
      expect(failedWorkflowTasks(await agent.history(runId))).toBe(0);
    });
  });
});
