import { describe, expect, it } from 'vitest';
import { isDecision } from '../../../src/policy/is-decision.js';

const APPROVAL = { requestKey: 'k', decision: 'approve', argsDigest: 'd', decisionId: 'i', approver: 'ann' };

describe('a payload', () => {
  it.each([
    APPROVAL,
    { ...APPROVAL, scope: 'run', reason: 'why' },
    { ...APPROVAL, decision: 'deny' },
    { ...APPROVAL, decision: 'edit', args: {} },
  ])('is a decision: %j [hitl:decision]', (payload) => {
    expect(isDecision(payload)).toBe(true);
  });

  it.each([
    undefined,
    null,
    'approve',
    [APPROVAL],
    { ...APPROVAL, decision: 'allow' },
    { ...APPROVAL, approver: undefined },
    { ...APPROVAL, requestKey: 1 },
    { ...APPROVAL, argsDigest: null },
    { ...APPROVAL, decisionId: {} },
    { ...APPROVAL, reason: 5 },
    { ...APPROVAL, scope: 'always' },
    { ...APPROVAL, args: {} },
    { ...APPROVAL, decision: 'edit' },
    { ...APPROVAL, decision: 'edit', args: [] },
  ])('is no decision: %j [hitl:decision]', (payload) => {
    expect(isDecision(payload)).toBe(false);
  });
});
