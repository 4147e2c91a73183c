import type { ApprovalPolicy, ApproverNames } from '../contract/approval-policy.js';
import type { ApprovalRequest, Decision } from '../contract/decision.js';
import type { VerifiedSignature } from '../contract/signed-decision.js';
import type { RiskLevel } from '../contract/tool.js';
import type { Refusal } from './decision-admission.js';
import { ruleFits } from './rule-fits.js';
import { isSamePerson } from './same-person.js';

export interface Decider {
  readonly decision: Decision;
  readonly signature: VerifiedSignature;
  /** To whom the key belongs; absent for an attesting key. */
  readonly holder?: string;
  readonly startedBy?: string;
}

/** Why this approver may not decide about this request, or undefined (`hitl:authz`, `hitl:quorum`). */
export function rightsFault(
  policy: ApprovalPolicy,
  request: ApprovalRequest,
  { decision, signature, holder, startedBy }: Decider,
): Refusal | undefined {
  const { approver } = decision;
  if (!isInOwnName({ decision, signature, holder })) {
    return refuse(
      'The key that signed belongs to another approver. Name its holder as the approver, or sign with your own.',
    );
  }
  if (signature.kind !== 'held' && policy.heldSignatureFor?.includes(request.riskLevel)) {
    return refuse("A tool of this level needs a signature by the approver's own key.");
  }
  if (policy.requesterMayNotApprove && (startedBy === undefined || isSamePerson(startedBy, approver))) {
    return refuse('Whoever started this run may not decide in it. Another approver must.');
  }
  if (approversOf(policy, request.tool, request.riskLevel)?.includes(approver) === false) {
    return refuse('This approver may not decide about this tool. Ask one who may.');
  }
  const approved = request.approvals?.some((approval) => isSamePerson(approval.approver, approver));
  if (decision.decision === 'approve' && approved) {
    return { code: 'already_approved', text: 'You have approved this already. Another approver must.' };
  }
  return undefined;
}

/** A held key decides in the name of its holder alone; an attesting one in any. */
export function isInOwnName({
  decision,
  signature,
  holder,
}: Pick<Decider, 'decision' | 'signature'> & { readonly holder?: string | undefined }): boolean {
  return signature.kind !== 'held' || decision.approver === holder;
}

/** Who may decide about a tool: nobody when no rule fits; undefined when there are no rules, and whoever signs may. */
export function approversOf(
  policy: ApprovalPolicy,
  tool: string,
  riskLevel: RiskLevel,
): readonly string[] | undefined {
  if (!policy.rules) return undefined;
  const rule = policy.rules.find((candidate) => ruleFits(candidate, tool, riskLevel));
  return rule ? membersOf(policy, rule) : [];
}

/** Everyone whom the names stand for, each once. */
function membersOf({ groups = {} }: ApprovalPolicy, named: ApproverNames): readonly string[] {
  const members = (named.groups ?? []).flatMap((group) =>
    Object.hasOwn(groups, group) ? (groups[group] ?? []) : [],
  );
  return [...new Set([...(named.approvers ?? []), ...members])];
}

/**
 * Whom a request that nobody decided is announced to next (`hitl:escalate`). Escalating gives no right: where there
 * are rules, whoever may not decide by them is not asked.
 */
export function nextApprovers(policy: ApprovalPolicy, tool: string, riskLevel: RiskLevel): readonly string[] {
  const next = membersOf(policy, policy.escalateTo ?? {});
  const may = approversOf(policy, tool, riskLevel);
  return may ? next.filter((approver) => may.includes(approver)) : next;
}

/** How many distinct approvers a level needs. */
export function quorumFor({ quorum = {} }: ApprovalPolicy, riskLevel: RiskLevel): number {
  return quorum[riskLevel] ?? 1;
}

function refuse(text: string): Refusal {
  return { code: 'not_authorized', text };
}
