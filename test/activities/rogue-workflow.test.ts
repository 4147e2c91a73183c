import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { describe, expect, inject, it } from 'vitest';
import { decisionFor } from '../../src/client.js';
import type { ExecuteToolInput } from '../../src/contract/activities.js';
import type { CountedApproval } from '../../src/contract/decision.js';
import { taskQueueOf } from '../../src/contract/names.js';
import type { AgentRunInput, RunState } from '../../src/contract/run.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { recordedManifest, scheduled, textsOf, type History } from '../harness/history.js';
import type { RogueDeed } from '../harness/rogue-workflow.js';
import { effectTool } from '../harness/tools.js';

const script = [
  { calls: [{ tool: 'effect', args: { line: 'approved' } }] },
  { calls: [{ tool: 'effect', args: { line: 'never approved' } }] },
  { text: 'done' },
];
const options = { customTools: [effectTool('effect', 'mutation')], script };

/** A worker of somebody who reaches the namespace and holds no key; starts what it runs, and gives its end. */
async function withRogue(
  agent: TestAgent,
  body: (run: (deed: RogueDeed, workflowId?: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
  const taskQueue = `rogue-${randomUUID()}`;
  const workflowsPath = fileURLToPath(new URL('../harness/rogue-workflow.ts', import.meta.url));
  const worker = await Worker.create({ connection, taskQueue, workflowsPath });
  const run = (deed: RogueDeed, workflowId: string = randomUUID()): Promise<unknown> =>
    agent.client.temporal.workflow.execute('agentRun', {
      taskQueue,
      workflowId,
      args: [taskQueueOf(agent.name), deed],
    });
  try {
    await worker.runUntil(() => body(run));
  } finally {
    await connection.close();
  }
}

/** A run whose first call was approved and ran; its second was asked about, and nobody answered. */
async function secondCall(
  agent: TestAgent,
): Promise<{ runId: string; ran: ExecuteToolInput; history: History }> {
  const runId = await agent.start();
  const decision = decisionFor(await agent.request(runId), { decision: 'approve', approver: 'ada' });
  await agent.client.decide(runId, decision);
  await agent.request(runId);
  await agent.client.cancel(runId);
  await expect(agent.client.result(runId)).rejects.toThrow('cancelled');
  const history = await agent.history(runId);
  const [ran] = scheduled(history, 'executeTool');
  if (!ran) throw new Error('the approved call was expected to run');
  return { runId, ran: ran.input as ExecuteToolInput, history };
}

const effects = ({ workspace }: TestAgent): Promise<string> =>
  readFile(join(workspace, 'effects.txt'), 'utf8');

const forged = (approvals: readonly CountedApproval[], ran: ExecuteToolInput) =>
  ({ ...ran.authorization, approvals }) as ExecuteToolInput['authorization'];

describe('somebody who reaches the namespace and holds no key', () => {
  it('has nothing executed by a workflow that says somebody approved [hitl:signed] [run:activities]', async () => {
    await withAgent(options, async (agent) => {
      const { runId, ran } = await secondCall(agent);
      await withRogue(agent, async (run) => {
        const { authorization } = ran;
        if (authorization.kind !== 'decision') throw new Error('a decision was expected');
        // Another run than it is a call of.
        expect(await run({ execute: ran })).toMatchObject({ code: 'binding_mismatch' });
        const again = { ...ran, call: { turn: 1, index: 0 }, idempotencyKey: `${runId}:1:0` };
        const requestKey = `${runId}:1:0:nonce`;
        const other = {
          ...again,
          requestKey,
          validation: { ...ran.validation, requestKey },
          guard: { ...ran.guard, requestKey },
        };
        const madeUp = authorization.approvals.map((approval) => ({ ...approval, evidence: 'f'.repeat(64) }));
        for (const approvals of [[], authorization.approvals, madeUp]) {
          const execute = { ...other, authorization: { ...forged(approvals, ran), requestKey } };
          expect(await run({ execute }, runId)).toMatchObject({ code: 'binding_mismatch' });
          const granted = { kind: 'grant', decisionId: 'd', approver: 'ada', approvals } as const;
          const byGrant = { ...other, authorization: granted };
          expect(await run({ execute: byGrant }, runId)).toMatchObject({ code: 'binding_mismatch' });
        }
      });
      expect(await effects(agent)).toBe('approved\n');
    });
  }, 60_000);

  it('has nothing executed by a state that it says was carried over [hitl:signed] [run:continue-as-new] [budget:errors]', async () => {
    await withAgent(options, async (agent) => {
      const { runId, ran, history } = await secondCall(agent);
      const { requestKey, args, validation, guard, authorization } = ran;
      const state = await agent.client.status(runId);
      const call = {
        providerCallId: '',
        tool: 'effect',
        step: {
          at: 'authorized' as const,
          checked: { requestKey: requestKey.replace(':0:0:', ':1:0:'), args, validation, guard },
          authorization,
        },
      };
      const carried: RunState = {
        ...state,
        phase: 'tools',
        turn: 1,
        pending: [],
        announcing: [],
        answers: [],
        append: [],
        underWay: { text: '', finishReason: 'tool_calls', calls: [call] },
      };
      const continueAs: AgentRunInput = {
        request: { agent: agent.name, prompt: 'Do it.' },
        carried: { prepared: recordedManifest(history), state: carried },
      };
      await withRogue(agent, async (run) => {
        await run({ continueAs }, runId).catch(() => undefined);
      });
      // The forged call came as far as the worker, which refused it.
      const histories = await agent.histories(runId);
      expect(histories.flatMap((one) => scheduled(one, 'executeTool'))).toHaveLength(1);
      expect(histories.flatMap(textsOf).join()).toContain('binding_mismatch');
      expect(await effects(agent)).toBe('approved\n');
    });
  }, 60_000);
});
