import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import pc from 'picocolors';
import { describe, expect, it, vi } from 'vitest';
import { timelineOf } from '../../src/audit/timeline.js';
import { timelineLines } from '../../src/cli/print-timeline.js';
import { FileTranscriptStore } from '../../src/transcript/file-store.js';
import { decisionFor } from '../../src/client.js';
import { CONTROL_UPDATE } from '../../src/contract/names.js';
import type { ApprovalRequest, DecisionAnswer } from '../../src/contract/decision.js';
import { defineTool } from '../../src/registry/define-tool.js';
import type { WholeOutput } from '../../src/contract/call.js';
import { withAgent, type TestAgent, type TestAgentOptions } from '../harness/agent.js';
import { failedWorkflowTasks, markers, scheduled, toldToModel } from '../harness/history.js';
import { effectTool } from '../harness/tools.js';

// The server takes 2 MiB in one payload and 4 MiB in one message; what is over fails a workflow task for ever.

const done = { text: 'done' };
const effects = async (agent: TestAgent): Promise<readonly string[]> =>
  (await readFile(join(agent.workspace, 'effects.txt'), 'utf8').catch(() => '')).split('\n').slice(0, -1);

function requests(agent: TestAgent, runId: string, many: number): Promise<readonly ApprovalRequest[]> {
  return vi.waitFor(
    async () => {
      const pending = await agent.client.pending(runId);
      expect(pending).toHaveLength(many);
      return pending;
    },
    { timeout: 30_000, interval: 50 },
  );
}

/** No task failed, and a worker that knows nothing of the run makes the same of its history. */
async function expectSound(agent: TestAgent, runId: string): Promise<void> {
  await agent.redeploy();
  expect((await agent.client.status(runId)).phase).toBe('ended');
  expect(failedWorkflowTasks(await agent.history(runId))).toBe(0);
}

const saying = (name: string, text: string) =>
  defineTool(
    {
      name,
      description: 'Says much.',
      riskLevel: 'safe',
      parallel: true,
      repeatable: true,
      parameters: { type: 'object' },
    },
    () => text,
  );

/** What became of the output of the one call of a run. */
async function withOutput(
  text: string,
  options: Partial<TestAgentOptions>,
  body: (
    agent: TestAgent,
    seen: { readonly whole: WholeOutput | undefined; readonly printed: string; readonly told: string },
  ) => Promise<void>,
): Promise<void> {
  const script = [{ calls: [{ tool: 'say', args: {} }] }, done];
  await withAgent({ customTools: [saying('say', text)], script, ...options }, async (agent) => {
    const runId = await agent.start();
    await agent.client.result(runId);
    const timeline = timelineOf((await agent.history(runId)).events ?? []);
    const end = timeline.turns[0]?.calls[0]?.execution?.end;
    await body(agent, {
      whole: end && 'whole' in end ? end.whole : undefined,
      printed: timelineLines(timeline, { colors: pc.createColors(false), width: Infinity }).join('\n'),
      told: JSON.stringify(agent.model.requests[1]?.messages),
    });
  });
}

describe('a run with large values', () => {
  it.each([
    { what: 'of 3 MB', text: 'x'.repeat(3_000_000), calls: 1 },
    { what: 'of 1.5 million characters of three bytes', text: '€'.repeat(1_500_000), calls: 1 },
    { what: 'of 900 KB from six calls at once', text: 'x'.repeat(900_000), calls: 6 },
    {
      what: 'of 300 KB, each byte of which six stand for, from 20 calls',
      text: '\u0001'.repeat(300_000),
      calls: 20,
    },
  ])('goes on after output $what [run:payloads] [outcome:size] [H20]', async ({ text, calls }) => {
    const script = [{ calls: Array.from({ length: calls }, () => ({ tool: 'say', args: {} })) }, done];
    await withAgent({ customTools: [saying('say', text)], script }, async (agent) => {
      const runId = await agent.start();
      expect(await agent.client.result(runId)).toMatchObject({
        status: 'done',
        calls,
        budget: { errors: 0 },
      });
      await expectSound(agent, runId);
    });
  });

  it('keeps whole outputs by reference when its agent says so, and the audit shows it [outcome:size] [audit:timeline]', async () => {
    const text = 'x'.repeat(3_000_000);
    await withOutput(text, { keepWholeOutputs: true }, async (agent, { whole, printed, told }) => {
      const store = new FileTranscriptStore(join(agent.workspace, '..', 'transcript'));
      expect(whole?.bytes).toBe(3_000_000);
      expect(await store.get(whole?.digest ?? '')).toEqual({ text });
      expect(printed).toMatch(new RegExp(`^  1\\.1 kept +3000000 bytes as ${whole?.digest}$`, 'm'));
      expect(told).toContain(`The whole was kept for people, under ${whole?.digest}.`);
    });
  });

  it('keeps no whole output by default [outcome:size]', async () => {
    await withOutput('x'.repeat(3_000_000), {}, async (_agent, { whole, printed, told }) => {
      expect(whole).toBeUndefined();
      expect(printed).not.toMatch(/^ {2}1\.1 kept/m);
      expect(told).toContain('[Output cut: ');
      expect(told).not.toContain('The whole');
    });
  });

  it('refuses arguments of 2.5 MB, and goes on [run:payloads] [H20]', async () => {
    const write = { tool: 'write', args: { path: 'f', content: 'x'.repeat(2_500_000) } };
    await withAgent({ enableWriteTools: true, script: [{ calls: [write] }, done] }, async (agent) => {
      const runId = await agent.start();
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', budget: { errors: 1 } });
      const history = await agent.history(runId);
      expect(toldToModel(history)).toMatchObject([{ status: 'error' }]);
      expect(markers(history, 'validateToolCall')).toMatchObject([
        { result: { valid: false, code: 'invalid_args' } },
      ]);
      expect(scheduled(history, 'executeTool')).toEqual([]);
      await expectSound(agent, runId);
    });
  });

  it('refuses an edit of 3 MB to its sender, and stays as it is [run:payloads] [H20]', async () => {
    const script = [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, done];
    await withAgent({ customTools: [effectTool('effect', 'mutation')], script }, async (agent) => {
      const runId = await agent.start();
      const [request] = await requests(agent, runId, 1);
      if (!request) throw new Error('no request');
      const edit = { decision: 'edit', approver: 'ada' } as const;
      const large = decisionFor(request, { ...edit, args: { line: 'e'.repeat(3_000_000) } });
      expect(await agent.client.decide(runId, large)).toMatchObject({
        counted: false,
        code: 'decision_too_large',
      });
      await requests(agent, runId, 1);
      await agent.client.decide(runId, decisionFor(request, { ...edit, args: { line: 'y' } }));
      await agent.client.result(runId);
      expect(await effects(agent)).toEqual(['y']);
      await expectSound(agent, runId);
    });
  });

  it('takes many large edits by signal that a worker finds at once [run:payloads] [H20]', async () => {
    const calls = Array.from({ length: 20 }, (_, n) => ({ tool: 'effect', args: { line: String(n) } }));
    const customTools = [effectTool('effect', 'mutation', { parallel: true })];
    await withAgent({ customTools, script: [{ calls }, done] }, async (agent) => {
      const runId = await agent.start();
      const pending = await requests(agent, runId, 20);
      await agent.redeploy({}, () =>
        Promise.all(
          pending.map((request) => {
            const args = { line: `${String(request.call.index)}${'e'.repeat(250_000)}` };
            const draft = { decision: 'edit', approver: 'ada', args } as const;
            return agent.client.signalDecision(runId, decisionFor(request, draft));
          }),
        ),
      );
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', calls: 20 });
      expect(await effects(agent)).toHaveLength(20);
      await expectSound(agent, runId);
    });
  });

  it('takes many large edits by update that a worker finds at once [run:payloads] [H20]', async () => {
    const calls = Array.from({ length: 10 }, (_, n) => ({ tool: 'effect', args: { line: String(n) } }));
    const customTools = [effectTool('effect', 'mutation', { parallel: true })];
    await withAgent({ customTools, script: [{ calls }, done] }, async (agent) => {
      const runId = await agent.start();
      const pending = await requests(agent, runId, 10);
      const edit = (request: ApprovalRequest): Promise<DecisionAnswer> => {
        const args = { line: `${String(request.call.index)}${'e'.repeat(250_000)}` };
        return agent.client.decide(runId, decisionFor(request, { decision: 'edit', approver: 'ada', args }));
      };
      let sent: readonly Promise<DecisionAnswer>[] = [];
      await agent.redeploy({}, async () => {
        sent = pending.map(edit);
      });
      const answers = await Promise.all(sent);
      expect(answers.filter(({ counted }) => !counted)).toEqual([]);
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', calls: 10 });
      expect(await effects(agent)).toHaveLength(10);
      await expectSound(agent, runId);
    });
  });

  it('refuses the largest controls that come at once [run:payloads] [run:control] [H20]', async () => {
    const script = [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, done];
    await withAgent({ customTools: [effectTool('effect', 'mutation')], script }, async (agent) => {
      const runId = await agent.start();
      const [request] = await requests(agent, runId, 1);
      if (!request) throw new Error('no request');
      const handle = agent.client.temporal.workflow.getHandle(runId);
      const sent = Array.from({ length: 5 }, () =>
        handle
          .executeUpdate(CONTROL_UPDATE, { args: [{ action: 'stop', by: 'op', x: 'y'.repeat(1_900_000) }] })
          .catch((error: unknown) => error),
      );
      await Promise.all(sent);
      await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
      await agent.client.result(runId);
      await expectSound(agent, runId);
    });
  });

  it('takes an answer of 64 calls with all the arguments that it may have [run:payloads] [H20]', async () => {
    const calls = Array.from({ length: 64 }, (_, n) => ({
      tool: 'effect',
      args: { line: `${String(n)} ${'€'.repeat(3_900)}` },
    }));
    const customTools = [effectTool('effect', 'safe', { parallel: true })];
    const script = [{ text: 'w'.repeat(200_000), calls }, done];
    await withAgent({ customTools, script }, async (agent) => {
      const runId = await agent.start();
      expect(await agent.client.result(runId)).toMatchObject({
        status: 'done',
        calls: 64,
        budget: { errors: 0 },
      });
      expect(await effects(agent)).toHaveLength(64);
      await expectSound(agent, runId);
    });
  });

  it('takes arguments that are five times as long once they are written out [run:payloads] [H20]', async () => {
    const calls = Array.from({ length: 6 }, () => ({
      tool: 'any',
      args: `{"a":[${'1e20,'.repeat(24_000)}1]}`,
    }));
    const customTools = [
      defineTool(
        {
          name: 'any',
          description: 'Takes anything.',
          riskLevel: 'safe',
          parallel: true,
          repeatable: true,
          parameters: { type: 'object' },
        },
        () => 'ok',
      ),
    ];
    const script = [{ calls }, done];
    await withAgent({ customTools, script }, async (agent) => {
      const runId = await agent.start();
      expect(await agent.client.result(runId)).toMatchObject({ calls: 6 });
      await expectSound(agent, runId);
    });
  });

  it('takes paths that are hundreds of times as long as they were written, and asks about so many as can be shown at once [run:payloads] [H20]', async () => {
    const deep = Array.from({ length: 15 }, (_, n) => String.fromCharCode(97 + n).repeat(250)).join('/');
    const named = (name: string, riskLevel: 'safe' | 'mutation') =>
      defineTool(
        {
          name,
          description: 'Takes many paths.',
          riskLevel,
          parallel: true,
          repeatable: true,
          pathArgs: ['paths[]'],
          parameters: {
            type: 'object',
            required: ['paths'],
            properties: { paths: { type: 'array', items: { type: 'string' } } },
          },
        },
        () => 'ok',
      );
    const customTools = [named('free', 'safe'), named('gated', 'mutation')];
    const call = (tool: string) => ({
      tool,
      args: { paths: Array.from({ length: 60 }, (_, n) => `l/${n}`) },
    });
    const many = (tool: string) => ({ calls: Array.from({ length: 12 }, () => call(tool)) });
    const script = [many('free'), many('gated'), done];
    await withAgent({ customTools, script, budgets: { maxConsecutiveDenials: 100 } }, async (agent) => {
      await mkdir(join(agent.workspace, deep), { recursive: true });
      await symlink(deep, join(agent.workspace, 'l'));
      const runId = await agent.start();
      let largest = 0;
      for (let decided = 0; decided < 12; decided += 1) {
        const request = await agent.request(runId);
        largest = Math.max(largest, (await agent.client.pending(runId)).length);
        await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
      }
      expect(await agent.client.result(runId)).toMatchObject({
        status: 'done',
        calls: 24,
        budget: { errors: 0 },
      });
      expect(largest).toBeGreaterThan(1);
      expect(largest).toBeLessThan(6);
      await expectSound(agent, runId);
    });
  });

  it('carries on as new when what it carries fits again [run:payloads] [run:continue-as-new] [H20]', async () => {
    const calls = Array.from({ length: 64 }, (_, n) => ({ tool: 'effect', args: { line: String(n) } }));
    const options = {
      instructions: 'i'.repeat(450_000),
      customTools: [effectTool('effect', 'mutation'), effectTool('free', 'safe')],
      continueAfterEvents: 250,
      budgets: { maxConsecutiveDenials: 100 },
      script: [{ calls }, { calls: [{ tool: 'free', args: { line: 'x' } }] }, done],
    };
    await withAgent(options, async (agent) => {
      const runId = await agent.start();
      const pending = await requests(agent, runId, 64);
      // Four of these are the most that wait for the next turn.
      for (let n = 0; n < 5; n += 1) {
        const answer = await agent.client.message(runId, '\u0001'.repeat(10_000), 'op');
        expect(answer).toMatchObject(n < 4 ? { done: true } : { done: false, code: 'control_refused' });
      }
      const reason = '\u0001'.repeat(4000);
      const deny = { decision: 'deny', approver: 'ada', reason } as const;
      await Promise.all(
        pending.map((request) => agent.client.signalDecision(runId, decisionFor(request, deny))),
      );
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', turns: 2, calls: 65 });
      expect((await agent.client.status(runId)).continuations).toBeGreaterThan(0);
      // The model call of the second turn stands where the first one ended: it took in what was too large.
      const took = (await agent.histories(runId)).find((history) =>
        scheduled(history, 'callModel').some(({ input }) => (input as { turn: number }).turn === 1),
      );
      expect(took && markers(took, 'validateApproval').length).toBeGreaterThan(0);
      await expectSound(agent, runId);
    });
  });

  it('is not even started with a request of 3 MB, nor told a decision or a message of that size [run:payloads] [H20]', async () => {
    const script = [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, done];
    await withAgent({ customTools: [effectTool('effect', 'mutation')], script }, async (agent) => {
      await expect(agent.start('x'.repeat(3_000_000))).rejects.toMatchObject({ code: 'invalid_start' });
      const runId = await agent.start();
      const request = await agent.request(runId);
      const large = decisionFor(request, {
        decision: 'deny',
        approver: 'ada',
        reason: 'x'.repeat(3_000_000),
      });
      await expect(agent.client.signalDecision(runId, large)).rejects.toMatchObject({
        code: 'decision_too_large',
      });
      expect(await agent.client.message(runId, 'x'.repeat(3_000_000), 'op')).toMatchObject({
        done: false,
        code: 'malformed_control',
      });
      await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
      await agent.client.result(runId);
    });
  });
});
