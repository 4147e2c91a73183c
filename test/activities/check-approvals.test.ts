import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { approvalsFault } from '../../activities/check-approvals.js';
import type { ExecuteToolInput } from '../../src/contract/activities.js';
import type { Authorization } from '../../src/contract/call.js';
import type { CountedApproval, Decision } from '../../src/contract/decision.js';
import { argsDigest } from '../../src/digest.js';
import type { TrustedKey } from '../../src/signing/trusted-keys.js';
import { FileTranscriptStore } from '../../src/transcript/file-store.js';
import { approvalBy, ARRIVED_AT } from '../harness/evidence.js';
import { SERVER_KEY, testKey } from '../harness/keys.js';
import { makeTree } from '../unit/workspace/tree.js';

const SCHEMA = 'a'.repeat(64);
const KEY = 'run:0:2:nonce:execution';
const args = { path: 'a' };
const edited = { path: 'b' };
const shown = argsDigest('salt', args);
const other = 'f'.repeat(64);
const good: Decision = {
  requestKey: KEY,
  runId: 'run',
  tool: 'put',
  decision: 'approve',
  argsDigest: shown,
  schemaDigest: SCHEMA,
  decisionId: 'd1',
  approver: 'ada',
};
const edit: Decision = { ...good, decision: 'edit', args: edited };
const bob = { approver: 'bob', decisionId: 'd2' };

let transcript: FileTranscriptStore;
beforeEach(async () => {
  transcript = new FileTranscriptStore(join(await makeTree({}), 'state'));
});

interface Execution {
  readonly kind?: 'decision' | 'grant';
  /** What runs. */
  readonly args?: { readonly path: string };
  readonly requestKey?: string;
  readonly keys?: readonly TrustedKey[];
}

function faultOf(approvals: unknown, execution: Execution = {}): Promise<string | undefined> {
  const { kind = 'decision', args: run = args, requestKey = 'run:0:2:nonce' } = execution;
  const { keys = [SERVER_KEY.trusted] } = execution;
  const input = {
    runId: 'run',
    tool: 'put',
    args: run,
    salt: 'salt',
    requestKey,
    validation: { argsDigest: argsDigest('salt', run), schemaDigest: SCHEMA },
    authorization: { kind, approvals } as Authorization,
  } as unknown as ExecuteToolInput;
  return approvalsFault({ transcript, trustedKeys: () => Promise.resolve(keys) }, input);
}

const approved = async (...decisions: readonly Decision[]): Promise<readonly CountedApproval[]> =>
  Promise.all(decisions.map((decision) => approvalBy(transcript, decision)));

describe('what is about to run', () => {
  it('runs by what was signed for it: approved, edited, approved by two, edited by one and approved by the other, after a reset too [hitl:signed] [hitl:quorum] [hitl:edit-told]', async () => {
    const next = { ...good, ...bob, argsDigest: argsDigest('salt', edited) };
    expect(await faultOf(await approved(good))).toBeUndefined();
    expect(await faultOf(await approved(good, { ...good, ...bob }))).toBeUndefined();
    const asEdited = { args: edited, requestKey: KEY };
    expect(await faultOf(await approved(edit), asEdited)).toBeUndefined();
    expect(await faultOf(await approved(edit, next), asEdited)).toBeUndefined();
    const reset = { ...next, requestKey: 'run:0:2:nonce:another-execution' };
    expect(await faultOf(await approved(edit, reset), asEdited)).toBeUndefined();
  });

  it('runs by the grant that all its approvers signed [hitl:grants] [hitl:quorum]', async () => {
    const forAll = {
      ...good,
      scope: 'run',
      requestKey: 'run:0:0:other:execution',
      argsDigest: other,
    } as const;
    const approvals = await approved(forAll, { ...forAll, ...bob });
    expect(await faultOf(approvals, { kind: 'grant' })).toBeUndefined();
    const [first] = approvals;
    const once = await approved({ ...forAll, ...bob, scope: 'once' });
    expect(await faultOf([first, ...once], { kind: 'grant' })).toContain('does not allow it');
  });

  it.each<[string, Partial<Decision>]>([
    ['a denial', { decision: 'deny' }],
    ['another call of the run', { requestKey: 'run:0:3:nonce:execution' }],
    ['another nonce, as after a reset', { requestKey: 'run:0:2:other:execution' }],
    ['another run', { runId: 'other' }],
    ['another tool', { tool: 'delete' }],
    ['other arguments', { argsDigest: other }],
    ['another schema', { schemaDigest: other }],
    ['other edited arguments', { decision: 'edit', args: { path: 'c' } }],
  ])('does not run by what was signed for %s [hitl:signed] [hitl:stale]', async (_what, changes) => {
    const approvals = await approved({ ...good, ...changes });
    expect(await faultOf(approvals)).toContain('what was signed does not allow it');
    // Nor when a good one stands before it.
    expect(await faultOf([...(await approved(good)), ...approvals])).toBeDefined();
  });

  it.each<[string, (approval: CountedApproval) => unknown]>([
    ['made up', (approval) => ({ ...approval, evidence: other })],
    ['left out', (approval) => ({ ...approval, evidence: undefined })],
    ['of another approver', (approval) => ({ ...approval, approver: 'bob' })],
    ['of another decision', (approval) => ({ ...approval, decisionId: 'd9' })],
    ['for once, said to be for the run', (approval) => ({ ...approval, scope: 'run' })],
    ['no object', () => 'approved'],
  ])('does not run by a decision that is %s [hitl:signed]', async (_what, change) => {
    const [approval] = await approved(good);
    if (!approval) throw new Error('one was expected');
    expect(await faultOf([change(approval)])).toContain('no signature that counts');
  });

  it.each([
    ['without any approval', []],
    ['with no list of them', 'all'],
    ['with nothing', undefined],
  ])('does not run %s, by decision or grant [hitl:signed]', async (_what, approvals) => {
    expect(await faultOf(approvals)).toContain('nobody');
    expect(await faultOf(approvals, { kind: 'grant' })).toContain('nobody');
  });

  it('runs by a key that was revoked after the decision had arrived, and by none that was before, is unknown, or is another holder’s [hitl:signed]', async () => {
    const revoked = (revokedAt: number) => ({ keys: [{ ...SERVER_KEY.trusted, revokedAt }] });
    const approvals = await approved(good);
    expect(await faultOf(approvals, revoked(ARRIVED_AT + 1))).toBeUndefined();
    expect(await faultOf(approvals, revoked(ARRIVED_AT))).toContain('no signature that counts');
    expect(await faultOf(approvals, { keys: [] })).toContain('no signature that counts');
    const zoe = await testKey('zoe', 'zoe');
    const inHerName = [await approvalBy(transcript, { ...good, approver: 'zoe' }, zoe)];
    const inAdas = [await approvalBy(transcript, good, zoe)];
    expect(await faultOf(inHerName, { keys: [zoe.trusted] })).toBeUndefined();
    expect(await faultOf(inAdas, { keys: [zoe.trusted] })).toBeDefined();
  });

  it('does not run by an output of a tool that looks like evidence, nor by a signature of anything else [hitl:signed]', async () => {
    const [approval] = await approved(good);
    const jws = await SERVER_KEY.signText('{"hello":1}');
    const evidence = await transcript.put({ jws, arrivedAt: ARRIVED_AT });
    expect(await faultOf([{ ...approval, evidence }])).toContain('no signature that counts');
    const untimed = await transcript.put({ jws: await SERVER_KEY.signer.sign(good), arrivedAt: '1' });
    expect(await faultOf([{ ...approval, evidence: untimed }])).toContain('no signature that counts');
  });
});
