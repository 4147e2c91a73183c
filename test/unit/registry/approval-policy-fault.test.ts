import { describe, expect, it } from 'vitest';
import type { ApprovalPolicy } from '../../../src/contract/approval-policy.js';
import { ScriptedModel } from '../../../src/models/scripted-model.js';
import { permissionFor } from '../../../src/policy/risk.js';
import { checkApprovers } from '../../../src/registry/check-approvers.js';
import { defineAgent } from '../../../src/registry/define-agent.js';

const define = (approvals: unknown) =>
  defineAgent({
    name: 'a',
    instructions: '',
    workspace: '.',
    model: new ScriptedModel([]),
    approvalTimeoutMs: 1000,
    approvals: approvals as ApprovalPolicy,
  });
const SURFACE = [{ name: 'write', riskLevel: 'mutation' }] as const;

describe('a policy that escalates or denies', () => {
  it.each([
    ['escalates to an approver', { escalateAfterMs: 999, escalateTo: { approvers: ['ada'] } }],
    ['escalates to a group', { groups: { g: ['ada'] }, escalateAfterMs: 1, escalateTo: { groups: ['g'] } }],
    ['denies a level', { autoDeny: [{ riskLevels: ['dangerous'] }] }],
    ['denies a tool', { autoDeny: [{ tools: ['write'], reason: 'No.' }] }],
    ['denies what nobody could decide', { rules: [], autoDeny: [{ tools: ['write'] }] }],
  ])('that %s is taken [hitl:escalate] [hitl:authz]', (_what, approvals) => {
    expect(() => checkApprovers(define(approvals), SURFACE, ['write'])).not.toThrow();
  });

  it.each([
    ['when, not to whom', { escalateAfterMs: 1 }, 'together or neither'],
    ['to whom, not when', { escalateTo: { approvers: ['ada'] } }, 'together or neither'],
    ['not before it expires', { escalateAfterMs: 1000, escalateTo: { approvers: ['ada'] } }, 'shorter than'],
    ['to nobody', { escalateAfterMs: 1, escalateTo: {} }, 'names nobody'],
    ['to an empty group', { groups: { g: [] }, escalateAfterMs: 1, escalateTo: { groups: ['g'] } }, 'nobody'],
    ['to an unknown group', { escalateAfterMs: 1, escalateTo: { groups: ['g'] } }, 'names the group g'],
    [
      'after a part of a millisecond',
      { escalateAfterMs: 0.5, escalateTo: { approvers: ['a'] } },
      'approvals',
    ],
  ])('that escalates %s is refused [hitl:escalate]', (_what, approvals, says) => {
    expect(() => define(approvals)).toThrow(
      expect.objectContaining({ code: 'invalid_agent', message: expect.stringContaining(says) }),
    );
  });

  it.each([
    ['every call', { autoDeny: [{ reason: 'No.' }] }, 'approvals.autoDeny[0] would deny every call'],
    ['no tool', { autoDeny: [{ tools: [] }] }, 'approvals'],
    ['an unknown level', { autoDeny: [{ riskLevels: ['mild'] }] }, 'approvals'],
  ])('that denies %s is refused [hitl:authz]', (_what, approvals, says) => {
    expect(() => define(approvals)).toThrow(
      expect.objectContaining({ code: 'invalid_agent', message: expect.stringContaining(says) }),
    );
  });

  it('that denies a tool which no tool is named is refused by the worker [hitl:authz]', () => {
    const agent = define({ autoDeny: [{ tools: ['writ'] }] });
    expect(() => checkApprovers(agent, SURFACE, ['write'])).toThrow('did you mean write');
  });

  it('that escalates to people who may not decide is refused: escalating gives no right [hitl:escalate]', () => {
    const agent = define({
      rules: [{ approvers: ['ada'] }],
      escalateAfterMs: 1,
      escalateTo: { approvers: ['bob'] },
    });
    expect(() => checkApprovers(agent, SURFACE, ['write'])).toThrow(
      'approvals.escalateTo names nobody who may decide about write (mutation)',
    );
  });

  it('denies before all else: what is free, granted or listed [hitl:authz]', () => {
    const grant = { tool: 'write', approver: 'ada', decisionId: 'd', requestKey: 'k', approvals: [] };
    const policy = { autoDeny: [{ tools: ['write'], riskLevels: ['safe', 'mutation'] }] } as const;
    expect(permissionFor('write', 'safe', [], [], policy)).toEqual({ kind: 'deny' });
    expect(permissionFor('write', 'mutation', [grant], ['write'], policy)).toEqual({ kind: 'deny' });
    expect(permissionFor('write', 'dangerous', [], [], policy)).toMatchObject({ kind: 'ask' });
    expect(permissionFor('read', 'safe', [], [], policy)).toMatchObject({ kind: 'free' });
  });
});
