import { createPrivateKey, sign } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { createValidateApproval } from '../../activities/validate-approval.js';
import type { ValidateApprovalInput } from '../../src/contract/activities.js';
import type { ApprovalRequest, Decision, DecisionVerdict } from '../../src/contract/decision.js';
import { LIMITS } from '../../src/contract/limits.js';
import { DECISION_TYPE, type SignedDecision } from '../../src/contract/signed-decision.js';
import type { RiskLevel } from '../../src/contract/tool.js';
import { argsDigest } from '../../src/digest.js';
import type { TrustedKey } from '../../src/signing/trusted-keys.js';
import { ToolRegistry } from '../../src/registry/tool-registry.js';
import { FileTranscriptStore } from '../../src/transcript/file-store.js';
import { resolveWorkspace } from '../../src/workspace/resolve-workspace.js';
import type { Workspace } from '../../src/workspace/workspace.js';
import { SERVER_KEY, testKey, type TestKey } from '../harness/keys.js';
import { makeTree } from '../unit/workspace/tree.js';

let workspace: Workspace;
let transcript: FileTranscriptStore;
beforeEach(async () => {
  const tree = await makeTree({ 'ws/a': 'A' });
  workspace = await resolveWorkspace(join(tree, 'ws'));
  transcript = new FileTranscriptStore(join(tree, 'state'));
});

function registryWith(riskLevel: RiskLevel): ToolRegistry {
  const def = {
    name: 'put',
    description: 'Puts.',
    riskLevel,
    pathArgs: ['path'],
    parameters: {
      type: 'object',
      required: ['path'],
      properties: { path: { type: 'string' }, n: { type: 'integer' } },
      additionalProperties: false,
    },
  } as const;
  return ToolRegistry.create([{ tool: { def, handler: () => 'ok' }, source: 'custom' }], () => undefined);
}

const SCHEMA_DIGEST = 'a'.repeat(64);
const NOW = 1_000;
const args = { path: 'a' };
const shown = argsDigest('salt', args);
const request: ApprovalRequest = {
  requestKey: 'run:0:0:n:e',
  runId: 'run',
  call: { turn: 0, index: 0 },
  tool: 'put',
  riskLevel: 'mutation',
  args,
  argsDigest: shown,
  schemaDigest: SCHEMA_DIGEST,
  paths: [],
  modelText: '',
  requestedAt: 0,
  expiresAt: 1,
  grantable: true,
};
const good: Decision = {
  requestKey: request.requestKey,
  runId: 'run',
  tool: 'put',
  decision: 'approve',
  argsDigest: shown,
  schemaDigest: SCHEMA_DIGEST,
  decisionId: 'd1',
  approver: 'ada',
};
const edit = { ...good, decision: 'edit', args: { path: 'b', n: 1 } } as const;

/** Any claims, rightly signed. */
async function signed(claims: object, key: TestKey = SERVER_KEY): Promise<SignedDecision> {
  return { jws: await key.signer.sign(claims as Decision) };
}

interface Circumstances extends Partial<ValidateApprovalInput> {
  readonly today?: RiskLevel;
  readonly keys?: readonly TrustedKey[];
}

function judge(payload: unknown, circumstances: Circumstances = {}): Promise<DecisionVerdict> {
  const { today = 'mutation', keys = [SERVER_KEY.trusted], ...changes } = circumstances;
  const validateApproval = createValidateApproval({
    agentOf: () => ({ registry: registryWith(today), workspace }),
    trustedKeys: () => Promise.resolve(keys),
    transcript,
  });
  return validateApproval({
    agent: 'a',
    runId: 'run',
    ...(payload !== undefined && { payload: JSON.stringify(payload) }),
    salt: 'salt',
    arrivedAt: NOW,
    approvals: {},
    pending: [request],
    settled: [],
    answers: [],
    tools: registryWith('mutation').all.map((tool) => tool.manifest),
    protectedPaths: ['recorded/**'],
    ...changes,
  });
}

describe('validateApproval', () => {
  it.each([
    ['an approval', good],
    ['a denial with a reason', { ...good, decision: 'deny', reason: 'no' }],
    ['an approval for the run', { ...good, scope: 'run' }],
  ])(
    'accepts %s, with what was signed and by which key [hitl:revalidated] [hitl:signed]',
    async (_what, decision) => {
      const { keyId, publicKey, kind } = SERVER_KEY.trusted;
      const verdict = await judge(await signed(decision));
      expect(verdict).toMatchObject({ accepted: true, decision, signature: { keyId, publicKey, kind } });
    },
  );

  it('refuses an edit at a level that the policy denies by now, and takes the denial [hitl:revalidated] [risk:pinned]', async () => {
    const now = { today: 'dangerous', approvals: { autoDeny: [{ riskLevels: ['dangerous'] }] } } as const;
    expect(await judge(await signed(edit), now)).toMatchObject({ accepted: false, code: 'not_authorized' });
    const denial = await signed({ ...good, decision: 'deny' });
    expect(await judge(denial, now)).toMatchObject({ accepted: true });
  });

  it('accepts an edit with the verdicts over the edited arguments [hitl:revalidated]', async () => {
    const digest = argsDigest('salt', edit.args);
    expect(await judge(await signed(edit))).toMatchObject({
      accepted: true,
      edited: {
        validation: {
          valid: true,
          requestKey: request.requestKey,
          argsDigest: digest,
          riskLevel: 'mutation',
        },
        guard: { allowed: true, argsDigest: digest, paths: [{ argument: 'path', relative: 'b' }] },
      },
    });
  });

  it.each([
    ['a missing member', { ...good, approver: undefined }, 'malformed_decision'],
    ['an empty approver', { ...good, approver: '' }, 'malformed_decision'],
    ['an unknown member', { ...good, to: 'other' }, 'malformed_decision'],
    ['arguments without edit', { ...good, args: {} }, 'malformed_decision'],
    ['an edit without arguments', { ...good, decision: 'edit' }, 'malformed_decision'],
    ['a reason of 3 MB', { ...good, reason: 'x'.repeat(3_000_000) }, 'decision_too_large'],
    ['another run', { ...good, runId: 'other' }, 'wrong_run'],
    ['another tool', { ...good, tool: 'get' }, 'digest_mismatch'],
    ['another schema', { ...good, schemaDigest: 'b'.repeat(64) }, 'digest_mismatch'],
    ['a cwd', { ...good, cwd: null }, 'cwd_not_permitted'],
    ['a key of no request', { ...good, requestKey: 'run:0:0:n' }, 'unknown_request'],
    ['the digest of other arguments', { ...good, argsDigest: 'f'.repeat(64) }, 'digest_mismatch'],
    ['an edit that fails the schema', { ...edit, args: { path: 'b', extra: 1 } }, 'edit_invalid'],
    ['an edit of a wrong type', { ...edit, args: { path: 'b', n: '1' } }, 'edit_invalid'],
    ['an edit with half a character', { ...edit, args: { path: 'b\ud800' } }, 'malformed_decision'],
    [
      'an edit that is too large',
      { ...edit, args: { path: 'b'.repeat(LIMITS.argumentBytes) } },
      'edit_invalid',
    ],
    [
      'an edit with a number that was rounded',
      { ...edit, args: { path: 'b', n: 9007199254740992 } },
      'edit_invalid',
    ],
    ['an edit that leads outside', { ...edit, args: { path: '../b' } }, 'edit_refused'],
    ['an edit to what the run protects', { ...edit, args: { path: 'recorded/x' } }, 'edit_refused'],
  ])('refuses %s [hitl:revalidated] [hitl:refused-decision]', async (_what, claims, code) => {
    const verdict = await judge(await signed(claims));
    expect(verdict).toMatchObject({ accepted: false, code });
    expect(JSON.stringify(verdict).length).toBeLessThan(2000);
  });

  it.each([
    ['decided', 'request_decided'],
    ['expired', 'request_expired'],
    ['withdrawn', 'request_withdrawn'],
  ] as const)('refuses a decision for a request that is %s [hitl:stale]', async (how, code) => {
    const settled = [{ requestKey: request.requestKey, how }];
    expect(await judge(await signed(good), { pending: [], settled })).toMatchObject({
      accepted: false,
      code,
    });
  });

  it('refuses to cover the run for a tool that asks every time, now or by then [risk:always]', async () => {
    const dangerous = { pending: [{ ...request, grantable: false }] };
    const whole = { accepted: false, code: 'grant_not_allowed' };
    expect(await judge(await signed({ ...good, scope: 'run' }), dangerous)).toMatchObject(whole);
    const edited = await signed({ ...edit, scope: 'run' });
    expect(await judge(edited, { today: 'dangerous' })).toMatchObject(whole);
  });

  it.each([
    ['a number that no double holds', '{"n":9007199254740993}'],
    ['a member named twice', '{"decision":"deny","decision":"approve"}'],
    ['half of a document', '{"decision":'],
    ['a list', '[]'],
  ])('refuses %s under a good signature [hitl:signed] [hitl:revalidated]', async (_what, text) => {
    const verdict = await judge({ jws: await SERVER_KEY.signText(text) });
    expect(verdict).toMatchObject({ accepted: false, code: 'malformed_decision' });
  });

  it.each([
    ['no payload', undefined],
    ['a list', []],
    ['a decision that nobody signed', good],
    ['a member outside the signature', async () => ({ ...(await signed(good)), approver: 'ann' })],
    ['a JWS that is no text', { jws: 7 }],
  ])('refuses %s: nothing counts but what is signed [hitl:signed]', async (_what, made) => {
    const payload = typeof made === 'function' ? await made() : made;
    expect(await judge(payload)).toMatchObject({ accepted: false, code: 'malformed_decision' });
  });

  it('refuses a signature over other bytes, by one character anywhere [hitl:signed]', async () => {
    const { jws } = await signed(good);
    for (let at = 0; at < jws.length; at += 1) {
      const other = jws[at] === 'A' ? 'B' : 'A';
      const verdict = await judge({ jws: jws.slice(0, at) + other + jws.slice(at + 1) });
      expect(verdict, `character ${at}`).toMatchObject({ accepted: false });
      expect(verdict).not.toHaveProperty('signature');
    }
  });

  it('refuses the same signature spelled otherwise [hitl:signed]', async () => {
    const { jws } = await signed(good);
    // The last of 86 characters has four bits that decode to nothing.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twin = alphabet[alphabet.indexOf(jws.slice(-1)) + 1] ?? '';
    for (const jwsTwin of [`${jws.slice(0, -1)}${twin}`, `${jws}=`, ` ${jws}`, `${jws}\n`]) {
      expect(await judge({ jws: jwsTwin })).toMatchObject({ accepted: false, code: 'signature_invalid' });
    }
  });

  it('refuses a payload that stands in the JWS unencoded: the history would tell of no decision [hitl:signed]', async () => {
    const { trusted, secret } = SERVER_KEY;
    const header = { alg: 'EdDSA', kid: trusted.keyId, typ: DECISION_TYPE, crit: ['b64'], b64: false };
    const input = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${JSON.stringify(good)}`;
    const signature = sign(null, Buffer.from(input), createPrivateKey({ key: secret, format: 'jwk' }));
    const verdict = await judge({ jws: `${input}.${signature.toString('base64url')}` });
    expect(verdict).toMatchObject({ accepted: false, code: 'signature_invalid' });
  });

  it.each([
    ['by a key that nobody trusts', () => testKey('stranger'), {}, 'key_unknown'],
    ['by a key revoked before it arrived', () => testKey('server'), { revokedAt: NOW }, 'key_revoked'],
    ["by another approver's own key", () => testKey('bob', 'bob'), {}, 'not_authorized'],
  ] as const)('refuses a signature %s [hitl:signed] [hitl:authz]', async (_what, make, change, code) => {
    const key = await make();
    const keys = code === 'key_unknown' ? [] : [{ ...key.trusted, ...change }];
    expect(await judge(await signed(good, key), { keys })).toMatchObject({ accepted: false, code });
  });

  it('accepts a key that was revoked after the decision arrived, and the owner by a key of his own [hitl:signed]', async () => {
    const late = [{ ...SERVER_KEY.trusted, revokedAt: NOW + 1 }];
    expect(await judge(await signed(good), { keys: late })).toMatchObject({ accepted: true });
    const ada = await testKey('ada', 'ada');
    const held = await judge(await signed(good, ada), { keys: [ada.trusted] });
    expect(held).toMatchObject({ accepted: true, signature: { kind: 'held' } });
  });

  it('gives the very payload the answer that it got, and another one under its id none [hitl:stale]', async () => {
    const payload = await signed(good);
    const first = await judge(payload);
    const answer = { counted: true, requestKey: good.requestKey, decision: 'approve' } as const;
    const { payloadDigest = '' } = first.repeated ? {} : first;
    const answers = [{ decisionId: 'd1', payloadDigest, answer }];
    expect(await judge(payload, { answers })).toEqual({ repeated: true, answer });
    const again = await judge(await signed({ ...good, decision: 'deny' }), { answers });
    expect(again).toMatchObject({ accepted: false, code: 'decision_id_reused' });
  });
});
