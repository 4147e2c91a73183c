import type { Announcement, AnnouncementType, RecordedWebhook } from '../contract/announcement.js';
import type { ApprovalPolicy } from '../contract/approval-policy.js';
import type { ApprovalRequest } from '../contract/decision.js';
import { LIMITS } from '../contract/limits.js';
import { approversOf, nextApprovers } from './approver-rights.js';
import { isSamePerson } from './same-person.js';

export interface Announced {
  readonly type: AnnouncementType;
  readonly at: number;
  readonly agent: string;
  readonly request: ApprovalRequest;
  readonly policy: ApprovalPolicy;
  readonly startedBy: string | undefined;
}

/** What a webhook is told of a request: no arguments, unless the run recorded that it includes them (`hitl:notify`). */
export function announcementFor(webhook: RecordedWebhook, announced: Announced): Announcement {
  const { type, at, agent, request } = announced;
  const { requestKey, runId, call, tool, label, riskLevel } = request;
  const { argsDigest, schemaDigest, requestedAt, expiresAt, quorum, args } = request;
  const approvers = approversToAsk(announced);
  const more = (approvers?.length ?? 0) - LIMITS.announcedApprovers;
  return {
    type,
    at,
    agent,
    request: {
      requestKey,
      runId,
      call,
      tool,
      ...(label !== undefined && { label }),
      riskLevel,
      argsDigest,
      schemaDigest,
      requestedAt,
      expiresAt,
      ...(quorum !== undefined && { quorum }),
      ...(webhook.includeArguments && { args }),
    },
    ...(approvers && { approvers: approvers.slice(0, LIMITS.announcedApprovers) }),
    ...(more > 0 && { moreApprovers: more }),
  };
}

/** Undefined: whoever signs with a trusted key. */
function approversToAsk({ type, request, policy, startedBy }: Announced): readonly string[] | undefined {
  const { tool, riskLevel } = request;
  const asked =
    type === 'approval.escalated'
      ? nextApprovers(policy, tool, riskLevel)
      : approversOf(policy, tool, riskLevel);
  return asked?.filter(
    (approver) =>
      !policy.requesterMayNotApprove || startedBy === undefined || !isSamePerson(approver, startedBy),
  );
}
