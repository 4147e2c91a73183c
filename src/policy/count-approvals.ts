import type { AcceptedVerdict, ApprovalRequest, CountedApproval } from '../contract/decision.js';
import type { Grant } from '../contract/run.js';

/**
 * The request with one more approval. An edit puts its arguments in the place of those shown, voids what was
 * approved before and counts as the first approval of the new ones (`hitl:quorum`).
 */
export function withApproval(request: ApprovalRequest, verdict: AcceptedVerdict): ApprovalRequest {
  const { approvals = [], preview: shown, ...others } = request;
  const mine = approvalOf(verdict);
  const { decision, edited, preview } = verdict;
  if (decision.decision !== 'edit' || !decision.args || !edited) {
    return { ...others, ...(shown && { preview: shown }), approvals: [...approvals, mine] };
  }
  return {
    ...others,
    args: decision.args,
    argsDigest: edited.validation.argsDigest,
    schemaDigest: edited.validation.schemaDigest,
    paths: edited.guard.paths,
    ...(preview && { preview }),
    edited,
    approvals: [mine],
  };
}

/** How many more approvers must approve. */
export function missingApprovals({
  quorum = 1,
  approvals = [],
}: Pick<ApprovalRequest, 'quorum' | 'approvals'>): number {
  return Math.max(0, quorum - approvals.length);
}

/** The grant that its approvers gave, when all of them asked for one (`hitl:grants`). It bears the last one's name. */
export function grantOf({
  tool,
  requestKey,
  approvals = [],
}: Pick<ApprovalRequest, 'tool' | 'requestKey' | 'approvals'>): Grant | undefined {
  const last = approvals.at(-1);
  if (!last || approvals.some(({ scope }) => scope !== 'run')) return undefined;
  const { approver, decisionId } = last;
  return { tool, approver, decisionId, requestKey, approvals };
}

/** An accepted decision as it is counted. */
export function approvalOf({ decision, signature, evidence }: AcceptedVerdict): CountedApproval {
  const { approver, decisionId, scope = 'once' } = decision;
  const { keyId, kind } = signature;
  return { approver, decisionId, keyId, kind, scope, evidence };
}
