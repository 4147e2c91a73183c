import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { decisionFor, HoldfastClient } from '../../src/client.js';
import type { ApprovalPolicy } from '../../src/contract/approval-policy.js';
import type { ApprovalRequest, Decision } from '../../src/contract/decision.js';
import { KeyDirectory } from '../../src/signing/key-directory.js';
import type { TrustedKey } from '../../src/signing/trusted-keys.js';
import { withAgent, type TestAgent, type TestAgentOptions } from '../harness/agent.js';
import { failedWorkflowTasks, markers, scheduled } from '../harness/history.js';
import { SERVER_KEY, testKey } from '../harness/keys.js';
import { effectTool } from '../harness/tools.js';
import { withApi, type Answered, type Asking, type TestApi } from './harness.js';

const ada = await testKey('ada', 'ada');
const stranger = await testKey('stranger');
const former = await testKey('former');

function asking(approvals: ApprovalPolicy = {}): TestAgentOptions {
  const keys: TrustedKey[] = [SERVER_KEY.trusted, ada.trusted, { ...former.trusted, revokedAt: 1 }];
  return {
    customTools: [effectTool('effect', 'mutation')],
    script: [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, { text: 'done' }],
    approvals,
    trusted: () => Promise.resolve(keys),
  };
}

function send(
  { ask }: TestApi,
  { runId, requestKey }: ApprovalRequest,
  body: object,
  as: NonNullable<Asking['as']> = 'approver',
): Promise<Answered> {
  return ask('POST', `/runs/${runId}/approvals/${requestKey}/decision`, body, { as });
}

const shown = ({ tool, argsDigest, schemaDigest }: ApprovalRequest) => ({ tool, argsDigest, schemaDigest });
const said = ({ status, body }: Answered) => [status, body.code];

async function stillWaits(agent: TestAgent, { runId, requestKey }: ApprovalRequest): Promise<void> {
  expect((await agent.client.pending(runId)).map((request) => request.requestKey)).toEqual([requestKey]);
  expect(scheduled(await agent.history(runId), 'executeTool')).toEqual([]);
}

describe('a signed decision over HTTP', () => {
  it('goes on unchanged and counts as held by its approver, whoever brings it [api:http] [hitl:signed]', async () => {
    await withAgent(asking(), (agent) =>
      withApi(agent.client, async (api) => {
        const request = await agent.request(await agent.start());
        const decision = decisionFor(request, { decision: 'approve', approver: 'ada' });
        const jws = await ada.signer.sign(decision);
        const { status, body } = await send(api, request, { jws });
        expect([status, body]).toEqual([
          200,
          {
            counted: true,
            requestKey: request.requestKey,
            decision: 'approve',
            decisionId: decision.decisionId,
          },
        ]);
        await agent.client.result(request.runId);
        expect(markers(await agent.history(request.runId), 'validateApproval')).toMatchObject([
          { result: { accepted: true, decision, signature: { kind: 'held', keyId: ada.trusted.keyId } } },
        ]);
      }),
    );
  });

  it('that is forged, altered, replayed or without rights is refused with its code and recorded; then a good one works [api:http] [hitl:signed] [H14] [H22]', async () => {
    await withAgent(asking(), (agent) =>
      withApi(agent.client, async (api) => {
        const request = await agent.request(await agent.start());
        const other = await agent.request(await agent.start());
        const decision = decisionFor(request, { decision: 'approve', approver: 'ann' });
        const jws = await SERVER_KEY.signer.sign(decision);
        const [head = '', , signature = ''] = jws.split('.');
        const claims = Buffer.from(JSON.stringify({ ...decision, approver: 'eve' })).toString('base64url');
        const flipped = `${jws.slice(0, 90)}${jws[90] === 'A' ? 'B' : 'A'}${jws.slice(91)}`;
        const signed = (changes: Partial<Decision>) =>
          SERVER_KEY.signer.sign({
            ...decisionFor(request, { decision: 'approve', approver: 'ann' }),
            ...changes,
          });
        const forged = [
          [flipped, 403, 'signature_invalid'],
          [`${head}.${claims}.${signature}`, 403, 'signature_invalid'],
          ['no signature', 403, 'signature_invalid'],
          [await stranger.signer.sign(decision), 403, 'key_unknown'],
          [await former.signer.sign(decision), 403, 'key_revoked'],
          [await ada.signer.sign(decision), 403, 'not_authorized'],
          // What was rightly signed and refused keeps its id.
          [await signed({ decisionId: decision.decisionId }), 409, 'decision_id_reused'],
          [await signed({ runId: other.runId, requestKey: other.requestKey }), 409, 'wrong_run'],
          [await signed({ argsDigest: 'f'.repeat(64) }), 409, 'digest_mismatch'],
          [await signed({ schemaDigest: 'f'.repeat(64) }), 409, 'digest_mismatch'],
          [await SERVER_KEY.signText('{}'), 422, 'malformed_decision'],
        ] as const;
        for (const [text, status, code] of forged) {
          expect(said(await send(api, request, { jws: text }))).toEqual([status, code]);
        }
        const elsewhere = await signed({ requestKey: `${request.requestKey}-other` });
        const unlike = await send(api, request, { jws: elsewhere });
        expect([...said(unlike), unlike.body.errors]).toEqual([
          422,
          'malformed_decision',
          [{ in: 'body', detail: 'jws: it names another requestKey than the address.' }],
        ]);
        const judged = markers(await agent.history(request.runId), 'validateApproval');
        expect(judged.map(({ result }) => (result as { code?: string }).code)).toEqual(
          forged.map(([, , code]) => code),
        );
        await stillWaits(agent, request);
        await stillWaits(agent, other);
        expect((await send(api, request, { decision: 'approve', ...shown(request) })).status).toBe(200);
        await agent.client.result(request.runId);
        const events = await agent.history(request.runId);
        expect([failedWorkflowTasks(events), scheduled(events, 'executeTool').length]).toEqual([0, 1]);
        await agent.client.cancel(other.runId);
      }),
    );
  });
});

describe('a policy at the HTTP door', () => {
  const policy: ApprovalPolicy = {
    groups: { leads: ['approver', 'all', 'third'] },
    rules: [{ tools: ['effect'], groups: ['leads'] }],
    quorum: { mutation: 2 },
    requesterMayNotApprove: true,
  };

  it('has two holders of tokens decide, who are told how many are missing, and the starter is not one of them [api:http] [api:auth] [hitl:quorum] [hitl:authz]', async () => {
    await withAgent(asking(policy), (agent) =>
      withApi(agent.client, async (api) => {
        const start = async (as: 'operator' | 'all', more: object = {}): Promise<Answered> =>
          api.ask('POST', '/runs', { agent: agent.name, prompt: 'x', ...more }, { as });
        expect(said(await start('operator', { startedBy: 'somebody-else' }))).toEqual([422, 'invalid_start']);
        const own = await agent.request((await start('all')).body.runId);
        const ownApproval = { decision: 'approve', ...shown(own) };
        expect(said(await send(api, own, ownApproval, 'all'))).toEqual([403, 'not_authorized']);
        await stillWaits(agent, own);
        await agent.client.cancel(own.runId);

        const request = await agent.request((await start('operator')).body.runId);
        const approve = { decision: 'approve', ...shown(request) };
        expect((await send(api, request, approve)).body).toMatchObject({ counted: true, remaining: 1 });
        expect(said(await send(api, request, approve))).toEqual([409, 'already_approved']);
        const { body } = await api.ask('GET', `/runs/${request.runId}/approvals`);
        expect(body.requests).toMatchObject([{ quorum: 2, approvals: [{ approver: 'approver' }] }]);
        await stillWaits(agent, request);
        const last = await send(api, request, approve, 'all');
        expect([last.status, last.body.remaining]).toEqual([200, undefined]);
        await agent.client.result(request.runId);
        expect(scheduled(await agent.history(request.runId), 'executeTool')).toHaveLength(1);
      }),
    );
  });
});

describe("the key of the server's state directory", () => {
  it('attests what a token decides, in the name of the token, until it is revoked [api:auth] [hitl:signed]', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
    const keys = new KeyDirectory(stateDir);
    const connection = { address: inject('temporalAddress') };
    const client = await HoldfastClient.connect({ connection, signer: keys });
    try {
      await withAgent({ ...asking(), trusted: keys.trusted }, (agent) =>
        withApi(client, async (api) => {
          const request = await agent.request(await agent.start());
          const other = await agent.request(await agent.start());
          const keyId = await keys.signingKeyId();
          const approve = { decision: 'approve', ...shown(request) };
          expect((await send(api, request, approve)).status).toBe(200);
          await agent.client.result(request.runId);
          expect(markers(await agent.history(request.runId), 'validateApproval')).toMatchObject([
            { result: { decision: { approver: 'approver' }, signature: { kind: 'attested', keyId } } },
          ]);
          await keys.revoke(keyId);
          expect(said(await send(api, other, { decision: 'approve', ...shown(other) }))).toEqual([
            403,
            'key_revoked',
          ]);
          await stillWaits(agent, other);
          await agent.client.cancel(other.runId);
        }),
      );
    } finally {
      await client.close();
      await rm(stateDir, { recursive: true, force: true });
    }
  });
});
