import { describe, expect, it, vi } from 'vitest';
import { decisionFor } from '../../src/client.js';
import type { ApprovalPolicy } from '../../src/contract/approval-policy.js';
import type { ApprovalRequest, Decision } from '../../src/contract/decision.js';
import { APPROVAL_SIGNAL } from '../../src/contract/names.js';
import type { TrustedKey } from '../../src/signing/trusted-keys.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { failedWorkflowTasks, markers, scheduled } from '../harness/history.js';
import { SERVER_KEY, testKey } from '../harness/keys.js';
import { effectTool } from '../harness/tools.js';

const approve = { decision: 'approve', approver: 'ada' } as const;
const ada = await testKey('ada', 'ada');
const stranger = await testKey('stranger');
const former = await testKey('former');

/** One gated call, then the end. */
function asking(approvals: ApprovalPolicy = {}) {
  const keys: TrustedKey[] = [SERVER_KEY.trusted, ada.trusted, { ...former.trusted, revokedAt: 1 }];
  return {
    customTools: [effectTool('effect', 'mutation')],
    script: [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, { text: 'done' }],
    approvals,
    trusted: () => Promise.resolve(keys),
  };
}

function signal(agent: TestAgent, runId: string, payload: unknown): Promise<void> {
  return agent.client.temporal.workflow.getHandle(runId).signal(APPROVAL_SIGNAL, payload);
}

/** The codes with which the run refused what was sent, once as many were judged. */
async function refusals(agent: TestAgent, runId: string, count: number): Promise<readonly unknown[]> {
  return vi.waitFor(
    async () => {
      const judged = markers(await agent.history(runId), 'validateApproval');
      if (judged.length < count) throw new Error('not all judged yet');
      return judged.map(({ result }) => (result as { code?: string }).code);
    },
    { timeout: 30_000, interval: 100 },
  );
}

async function stillWaits(agent: TestAgent, runId: string, request: ApprovalRequest): Promise<void> {
  expect((await agent.client.pending(runId)).map(({ requestKey }) => requestKey)).toEqual([
    request.requestKey,
  ]);
  expect(scheduled(await agent.history(runId), 'executeTool')).toEqual([]);
}

describe('a signal sent straight to Temporal', () => {
  it('counts only when it is rightly signed over this very request [hitl:signed] [hitl:signal] [H14] [H22]', async () => {
    await withAgent(asking(), async (agent) => {
      const [runId, otherRun] = [await agent.start(), await agent.start()];
      const request = await agent.request(runId);
      const other = await agent.request(otherRun);
      const decision = decisionFor(request, approve);
      const jws = await SERVER_KEY.signer.sign(decision);
      const [head = '', , signature = ''] = jws.split('.');
      const flipped = `${jws.slice(0, 90)}${jws[90] === 'A' ? 'B' : 'A'}${jws.slice(91)}`;
      const claims = Buffer.from(JSON.stringify({ ...decision, approver: 'eve' })).toString('base64url');
      const unsigned = Buffer.from('{"alg":"none","typ":"holdfast-decision+json"}').toString('base64url');
      const signed = async (changes: Partial<Decision>) => ({
        // What was rightly signed and refused keeps its id.
        jws: await SERVER_KEY.signer.sign({ ...decisionFor(request, approve), ...changes }),
      });
      const forged = [
        [decision, 'malformed_decision'],
        [{ jws, approver: 'eve' }, 'malformed_decision'],
        [{ jws: flipped }, 'signature_invalid'],
        [{ jws: `${head}.${claims}.${signature}` }, 'signature_invalid'],
        [{ jws: `${unsigned}.${claims}.` }, 'signature_invalid'],
        [{ jws: await stranger.signer.sign(decision) }, 'key_unknown'],
        [{ jws: await former.signer.sign(decision) }, 'key_revoked'],
        [{ jws: await SERVER_KEY.signer.sign(decisionFor(other, approve)) }, 'wrong_run'],
        [await signed({ requestKey: 'another' }), 'unknown_request'],
        [await signed({ argsDigest: 'f'.repeat(64) }), 'digest_mismatch'],
        [await signed({ schemaDigest: 'f'.repeat(64) }), 'digest_mismatch'],
        [await signed({ tool: 'write' }), 'digest_mismatch'],
        [
          { jws: await ada.signer.sign(decisionFor(request, { ...approve, approver: 'bob' })) },
          'not_authorized',
        ],
      ] as const;
      for (const [payload] of forged) await signal(agent, runId, payload);
      expect(await refusals(agent, runId, forged.length)).toEqual(forged.map(([, code]) => code));
      await stillWaits(agent, runId, request);

      await signal(agent, runId, { jws });
      await agent.client.result(runId);
      const events = await agent.history(runId);
      expect(failedWorkflowTasks(events)).toBe(0);
      expect(scheduled(events, 'executeTool')).toHaveLength(1);
      expect(markers(events, 'validateApproval').at(-1)?.result).toMatchObject({
        accepted: true,
        decision,
        signature: { kind: 'attested', keyId: SERVER_KEY.trusted.keyId },
      });
      await agent.client.cancel(otherRun);
    });
  });

  it('does not take the decisionId from its owner by naming it in a forgery [hitl:signed] [hitl:stale]', async () => {
    await withAgent(asking(), async (agent) => {
      const runId = await agent.start();
      const decision = decisionFor(await agent.request(runId), approve);
      await signal(agent, runId, { jws: await stranger.signer.sign({ ...decision, decision: 'deny' }) });
      expect(await agent.client.decide(runId, decision)).toMatchObject({ counted: true });
      await agent.client.result(runId);
    });
  });
});

describe('a policy', () => {
  const policy: ApprovalPolicy = {
    groups: { leads: ['ada', 'bob'] },
    rules: [{ tools: ['effect'], groups: ['leads'] }],
    quorum: { mutation: 2 },
    requesterMayNotApprove: true,
  };

  const start = (agent: TestAgent): Promise<string> =>
    agent.client.start({ agent: agent.name, prompt: 'Do it.', startedBy: 'bob' });

  it('has two approvers decide, neither who started nor twice the same, and shows how many are missing [hitl:quorum] [hitl:authz]', async () => {
    const three = { ...policy, groups: { leads: ['ada', 'bob', 'cy'] } };
    await withAgent(asking(three), async (agent) => {
      const runId = await start(agent);
      const request = await agent.request(runId);
      const decide = (approver: string) =>
        agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver }));
      expect(await decide('eve')).toMatchObject({ counted: false, code: 'not_authorized' });
      expect(await decide('bob')).toMatchObject({ counted: false, code: 'not_authorized' });
      expect(await decide('ada')).toMatchObject({ counted: true, remaining: 1 });
      expect(await decide('ada')).toMatchObject({ counted: false, code: 'already_approved' });
      await stillWaits(agent, runId, request);
      expect(await agent.client.pending(runId)).toMatchObject([
        { quorum: 2, approvals: [{ approver: 'ada' }] },
      ]);
      await agent.redeploy();
      expect(await decide('cy')).toMatchObject({ counted: true });
      await agent.client.result(runId);
      const [execution] = scheduled(await agent.history(runId), 'executeTool');
      expect(execution?.input).toMatchObject({
        authorization: { approvals: [{ approver: 'ada' }, { approver: 'cy' }] },
      });
    });
  });

  it('lets an edit void what was approved before and count as the first of the new arguments [hitl:quorum]', async () => {
    const two = { quorum: { mutation: 2 } };
    await withAgent(asking(two), async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, approve));
      const edit = { decision: 'edit', approver: 'bob', args: { line: 'y' } } as const;
      expect(await agent.client.decide(runId, decisionFor(request, edit))).toMatchObject({ remaining: 1 });
      const stale = decisionFor(request, { decision: 'approve', approver: 'cy' });
      expect(await agent.client.decide(runId, stale)).toMatchObject({ code: 'digest_mismatch' });
      const edited = await agent.request(runId);
      expect(edited).toMatchObject({ args: { line: 'y' }, approvals: [{ approver: 'bob' }] });
      expect(await agent.client.decide(runId, decisionFor(edited, approve))).toMatchObject({
        counted: true,
      });
      await agent.client.result(runId);
      const [execution] = scheduled(await agent.history(runId), 'executeTool');
      expect(execution?.input).toMatchObject({ args: { line: 'y' }, authorization: { decision: 'edit' } });
    });
  });

  it('lets one denial end a request that needs two [hitl:quorum]', async () => {
    await withAgent(asking({ quorum: { mutation: 2 } }), async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, approve));
      await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'bob' }));
      await agent.client.result(runId);
      expect(scheduled(await agent.history(runId), 'executeTool')).toEqual([]);
    });
  });

  it("may demand the approver's own key [hitl:signed]", async () => {
    await withAgent(asking({ heldSignatureFor: ['mutation'] }), async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      const attested = await agent.client.decide(runId, decisionFor(request, approve));
      expect(attested).toMatchObject({ counted: false, code: 'not_authorized' });
      await signal(agent, runId, { jws: await ada.signer.sign(decisionFor(request, approve)) });
      await agent.client.result(runId);
      expect(markers(await agent.history(runId), 'validateApproval').at(-1)?.result).toMatchObject({
        accepted: true,
        signature: { kind: 'held' },
      });
    });
  });

  it('is the one that the run began with, and knows who started it [hitl:quorum] [risk:pinned]', async () => {
    await withAgent(asking({ requesterMayNotApprove: true }), async (agent) => {
      await expect(agent.client.result(await agent.start())).rejects.toMatchObject({
        cause: { type: 'holdfast.invalid_start' },
      });
      const runId = await agent.client.start({ agent: agent.name, prompt: 'Do it.', startedBy: 'ada' });
      const request = await agent.request(runId);
      await agent.redeploy({ approvals: {} });
      expect(await agent.client.decide(runId, decisionFor(request, approve))).toMatchObject({
        counted: false,
        code: 'not_authorized',
      });
      const bob = decisionFor(request, { decision: 'approve', approver: 'bob' });
      expect(await agent.client.decide(runId, bob)).toMatchObject({ counted: true });
      await agent.client.result(runId);
    });
  });

  it('starts no run of which a tool could never be approved, since its starter may not [hitl:quorum] [hitl:authz]', async () => {
    const pair = { ...policy, groups: { leads: ['ada', 'bob'] } };
    await withAgent(asking(pair), async (agent) => {
      await expect(agent.client.result(await start(agent))).rejects.toMatchObject({
        cause: {
          type: 'holdfast.invalid_start',
          message: expect.stringContaining('effect (mutation) one approver, and it needs 2'),
        },
      });
      const runId = await agent.client.start({ agent: agent.name, prompt: 'Do it.', startedBy: 'eve' });
      await agent.request(runId);
      await agent.client.cancel(runId);
    });
  });
});
