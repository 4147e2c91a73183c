import { describe, expect, it } from 'vitest';
import type { ApprovalPolicy } from '../../../src/contract/approval-policy.js';
import { ScriptedModel } from '../../../src/models/scripted-model.js';
import { checkApprovers } from '../../../src/registry/check-approvers.js';
import { defineAgent } from '../../../src/registry/define-agent.js';

const define = (approvals: unknown, requireApprovalFor: readonly string[] = []) =>
  defineAgent({
    name: 'a',
    instructions: '',
    workspace: '.',
    model: new ScriptedModel([]),
    requireApprovalFor,
    approvals: approvals as ApprovalPolicy,
  });
const SURFACE = [
  { name: 'read', riskLevel: 'read_only' },
  { name: 'write', riskLevel: 'mutation' },
] as const;

describe('an approval policy', () => {
  it.each([
    ['demands nothing', {}],
    ['has a rule for all', { rules: [{ approvers: ['ada'] }] }],
    ['has one for the level', { rules: [{ riskLevels: ['mutation'], approvers: ['ada'] }] }],
    ['has enough approvers', { rules: [{ approvers: ['ada', 'bob'] }], quorum: { mutation: 2 } }],
    ['counts members of groups', { groups: { g: ['ada'] }, rules: [{ tools: ['write'], groups: ['g'] }] }],
  ])('that %s is taken [hitl:authz]', (_what, approvals) => {
    expect(() => checkApprovers(define(approvals), SURFACE, ['read', 'write'])).not.toThrow();
  });

  it.each([
    [
      'has no rule for a tool that asks',
      { rules: [{ tools: ['read'], approvers: ['ada'] }] },
      'without an approver',
    ],
    ['has rules and no approver', { rules: [] }, 'without an approver'],
    [
      'names nobody in the first rule that fits',
      { rules: [{}, { approvers: ['ada'] }] },
      'without an approver',
    ],
    [
      'needs more approvers than there are',
      { rules: [{ approvers: ['ada', 'ada'] }], quorum: { mutation: 2 } },
      'one approver, and it needs 2',
    ],
    [
      'needs more approvers than there are people',
      { rules: [{ approvers: ['ada', 'Ada'] }], quorum: { mutation: 2 } },
      'one approver, and it needs 2',
    ],
  ])(
    'that %s is refused before a person waits for it [hitl:authz] [hitl:quorum]',
    (_what, approvals, says) => {
      const check = () => checkApprovers(define(approvals), SURFACE, ['read', 'write']);
      expect(check).toThrow(
        expect.objectContaining({ code: 'invalid_agent', message: expect.stringContaining(says) }),
      );
    },
  );

  it('covers free tools that ask all the same, and knows the names of tools [hitl:authz]', () => {
    const rules = [{ tools: ['write'], approvers: ['ada'] }];
    const check = () => checkApprovers(define({ rules }, ['read']), SURFACE, ['read', 'write']);
    expect(check).toThrow('approvals leaves read (read_only) without an approver');
    const mistyped = () =>
      checkApprovers(define({ rules: [{ tools: ['wirte'], approvers: ['ada'] }] }), SURFACE, ['write']);
    expect(mistyped).toThrow(expect.objectContaining({ code: 'unknown_tool_name' }));
  });

  it.each([
    [{ quorum: { mutation: 0 } }, /^a: approvals does not fit\. .*quorum/],
    [{ quorum: { deadly: 1 } }, /^a: approvals does not fit/],
    [{ rules: [{ group: ['x'] }] }, /^a: approvals does not fit/],
    [{ rules: [{ groups: ['x'] }] }, /^a: approvals\.rules\[0\] names the group x, which groups lacks/],
    [{ heldSignatureFor: 'mutation' }, /^a: approvals does not fit/],
    [[], /^a: approvals must be an object/],
  ])('of the shape %j is refused when the agent is defined [hitl:authz]', (approvals, says) => {
    expect(() => define(approvals)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(says) }),
    );
  });
});
