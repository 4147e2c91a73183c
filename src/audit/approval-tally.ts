import type { ApprovalPolicy } from '../contract/approval-policy.js';
import type { AcceptedVerdict, ApprovalRequest } from '../contract/decision.js';
import type { Grant } from '../contract/run.js';
import { quorumFor } from '../policy/approver-rights.js';
import { approvalOf, grantOf, missingApprovals } from '../policy/count-approvals.js';
import type { CallRecord } from './timeline.js';

type Counted = Pick<ApprovalRequest, 'tool' | 'requestKey' | 'quorum' | 'approvals'>;

/** Adds up the approvals of a history as the workflow does, by the same policy over the same record (`hitl:quorum`). */
export class ApprovalTally {
  readonly #counted = new Map<CallRecord, Counted>();

  /** A request as a continuation begins with it, of whose approvals no events were read. */
  resume(call: CallRecord, request: Counted): void {
    this.#counted.set(call, request);
  }

  /**
   * One more accepted decision: how many more the call needs, and the grant that comes of it.
   *
   * @param policy that the run was prepared with.
   */
  add(
    call: CallRecord,
    verdict: AcceptedVerdict,
    policy: ApprovalPolicy,
  ): { readonly remaining: number; readonly grant?: Grant | undefined } {
    const { decision } = verdict;
    if (decision.decision === 'deny') return { remaining: 0 };
    const before = this.#counted.get(call) ?? requestOf(call, decision.requestKey, policy);
    const mine = approvalOf(verdict);
    const approvals = decision.decision === 'edit' ? [mine] : [...(before.approvals ?? []), mine];
    const now = { ...before, approvals };
    this.#counted.set(call, now);
    const remaining = missingApprovals(now);
    return { remaining, ...(remaining === 0 && { grant: grantOf(now) }) };
  }
}

function requestOf(
  { validation, proposed }: CallRecord,
  requestKey: string,
  policy: ApprovalPolicy,
): Counted {
  const verdict = validation?.value;
  const quorum = verdict?.valid === true ? quorumFor(policy, verdict.riskLevel) : 1;
  return { tool: verdict?.tool ?? proposed.tool, requestKey, quorum };
}
