import { beforeEach, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { createValidateApproval } from '../../activities/validate-approval.js';
import type { ValidateApprovalInput } from '../../src/contract/activities.js';
import type { ApprovalRequest, DecisionVerdict } from '../../src/contract/decision.js';
import { LIMITS } from '../../src/contract/limits.js';
import type { RiskLevel } from '../../src/contract/tool.js';
import { argsDigest } from '../../src/digest.js';
import { ToolRegistry } from '../../src/registry/tool-registry.js';
import { resolveWorkspace } from '../../src/workspace/resolve-workspace.js';
import type { Workspace } from '../../src/workspace/workspace.js';
import { makeTree } from '../unit/workspace/tree.js';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await resolveWorkspace(join(await makeTree({ 'ws/a': 'A' }), 'ws'));
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

const args = { path: 'a' };
const shown = argsDigest('salt', args);
const request: ApprovalRequest = {
  requestKey: 'run:0:0:n:e',
  call: { turn: 0, index: 0 },
  tool: 'put',
  riskLevel: 'mutation',
  args,
  argsDigest: shown,
  schemaDigest: 's',
  paths: [],
  modelText: '',
  requestedAt: 0,
  expiresAt: 1,
  grantable: true,
};
const good = {
  requestKey: request.requestKey,
  decision: 'approve',
  argsDigest: shown,
  decisionId: 'd1',
  approver: 'ada',
};
const edit = { ...good, decision: 'edit', args: { path: 'b', n: 1 } };

function judge(
  payload: unknown,
  { today = 'mutation', ...changes }: Partial<ValidateApprovalInput> & { today?: RiskLevel } = {},
): Promise<DecisionVerdict> {
  const validateApproval = createValidateApproval({
    agentOf: () => ({ registry: registryWith(today), workspace }),
  });
  return validateApproval({
    agent: 'a',
    runId: 'run',
    ...(payload !== undefined && { payload: JSON.stringify(payload) }),
    salt: 'salt',
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
  ])('accepts %s, naming what it decided [hitl:revalidated] [hitl:decision]', async (_what, payload) => {
    const { requestKey, decisionId, decision } = payload;
    expect(await judge(payload)).toMatchObject({ accepted: true, requestKey, decisionId, decision });
  });

  it('accepts an edit with the verdicts over the edited arguments [hitl:revalidated]', async () => {
    const digest = argsDigest('salt', edit.args);
    expect(await judge(edit)).toMatchObject({
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
    ['no payload', undefined, 'malformed_decision'],
    ['a list', [], 'malformed_decision'],
    ['a missing member', { ...good, approver: undefined }, 'malformed_decision'],
    ['an empty approver', { ...good, approver: '' }, 'malformed_decision'],
    ['an unknown member', { ...good, tool: 'other' }, 'malformed_decision'],
    ['arguments without edit', { ...good, args: {} }, 'malformed_decision'],
    ['an edit without arguments', { ...good, decision: 'edit' }, 'malformed_decision'],
    ['a reason of 3 MB', { ...good, reason: 'x'.repeat(3_000_000) }, 'decision_too_large'],
    ['a cwd', { ...good, cwd: null }, 'cwd_not_permitted'],
    ['a key of no request', { ...good, requestKey: 'run:0:0:n' }, 'unknown_request'],
    ['the digest of other arguments', { ...good, argsDigest: 'f'.repeat(64) }, 'digest_mismatch'],
    ['an edit that fails the schema', { ...edit, args: { path: 'b', extra: 1 } }, 'edit_invalid'],
    ['an edit of a wrong type', { ...edit, args: { path: 'b', n: '1' } }, 'edit_invalid'],
    ['an edit with half a character', { ...edit, args: { path: 'b\ud800' } }, 'edit_invalid'],
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
  ])('refuses %s [hitl:revalidated] [hitl:refused-decision]', async (_what, payload, code) => {
    const verdict = await judge(payload);
    expect(verdict).toMatchObject({ accepted: false, code });
    expect(JSON.stringify(verdict).length).toBeLessThan(2000);
  });

  it.each([
    ['decided', 'request_decided'],
    ['expired', 'request_expired'],
    ['withdrawn', 'request_withdrawn'],
  ] as const)('refuses a decision for a request that is %s [hitl:stale]', async (how, code) => {
    const settled = [{ requestKey: request.requestKey, how }];
    expect(await judge(good, { pending: [], settled })).toMatchObject({ accepted: false, code });
  });

  it('refuses to cover the run for a tool that asks every time, now or by then [risk:always]', async () => {
    const dangerous = { pending: [{ ...request, grantable: false }] };
    const whole = { accepted: false, code: 'grant_not_allowed' };
    expect(await judge({ ...good, scope: 'run' }, dangerous)).toMatchObject(whole);
    expect(await judge({ ...edit, scope: 'run' }, { today: 'dangerous' })).toMatchObject(whole);
  });
});
