import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, Decision } from '../../../src/contract/decision.js';
import { rightsFault } from '../../../src/policy/approver-rights.js';

const D = 'a'.repeat(64);
const decisionBy = (approver: string): Decision => ({
  requestKey: 'k',
  runId: 'r',
  tool: 'write',
  decision: 'approve',
  argsDigest: D,
  schemaDigest: D,
  decisionId: 'd',
  approver,
});
const signature = { keyId: 'key', kind: 'attested', publicKey: 'x' } as const;
const request = (approver?: string): ApprovalRequest => ({
  requestKey: 'k',
  runId: 'r',
  call: { turn: 0, index: 0 },
  tool: 'write',
  riskLevel: 'mutation',
  args: {},
  argsDigest: D,
  schemaDigest: D,
  paths: [],
  modelText: '',
  requestedAt: 0,
  expiresAt: 1,
  grantable: true,
  quorum: 2,
  ...(approver !== undefined && {
    approvals: [{ approver, decisionId: 'e', keyId: 'key', kind: 'attested', scope: 'once', evidence: D }],
  }),
});

/** One name as it can be written in several ways. */
const SPELLINGS: readonly (readonly [string, string])[] = [
  ['zoë', 'zoë'],
  ['zoë', 'ZOË'],
  ['zo\u00eb', 'zoe\u0308'],
  ['ann', '\uff41\uff4e\uff4e'],
];

describe('an approver', () => {
  it.each(SPELLINGS)('who approved as %j does not count again as %j [hitl:quorum]', (first, second) => {
    const decider = { decision: decisionBy(second), signature };
    expect(rightsFault({}, request(first), decider)?.code).toBe('already_approved');
    expect(rightsFault({}, request('bob'), decider)).toBeUndefined();
  });

  it.each(SPELLINGS)('who started the run as %j may not approve as %j [hitl:quorum]', (first, second) => {
    const decider = { decision: decisionBy(second), signature };
    const policy = { requesterMayNotApprove: true };
    expect(rightsFault(policy, request(), { ...decider, startedBy: first })?.code).toBe('not_authorized');
    expect(rightsFault(policy, request(), { ...decider, startedBy: 'bob' })).toBeUndefined();
  });

  it('has a right only under the name that the rules write [hitl:authz]', () => {
    const policy = { rules: [{ approvers: ['ann'] }] };
    expect(rightsFault(policy, request(), { decision: decisionBy('ann'), signature })).toBeUndefined();
    expect(rightsFault(policy, request(), { decision: decisionBy('Ann'), signature })?.code).toBe(
      'not_authorized',
    );
  });
});
