import type { ApprovalRequest } from './decision.js';

export const ANNOUNCEMENT_TYPES = ['approval.requested', 'approval.escalated'] as const;
/** What webhooks are told of (`hitl:notify`, `hitl:escalate`). */
export type AnnouncementType = (typeof ANNOUNCEMENT_TYPES)[number];

/** A webhook as a run records it: by name, since neither its URL nor its secret belong into a history. */
export type RecordedWebhook = {
  readonly name: string;
  /** It is told the arguments too. Absent: it is not. */
  readonly includeArguments?: true;
};

/** What a webhook is told of a request: names, levels and digests, no words of a model, no previews, no paths. */
export interface Announcement {
  readonly type: AnnouncementType;
  /** Milliseconds since the epoch, workflow time. */
  readonly at: number;
  readonly agent: string;
  readonly request: Pick<
    ApprovalRequest,
    | 'requestKey'
    | 'runId'
    | 'call'
    | 'tool'
    | 'label'
    | 'riskLevel'
    | 'argsDigest'
    | 'schemaDigest'
    | 'requestedAt'
    | 'expiresAt'
    | 'quorum'
  > &
    /** Only for a webhook that includes them. */
    Partial<Pick<ApprovalRequest, 'args'>>;
  /** Whom to ask, at most LIMITS.announcedApprovers of them. Absent: whoever signs with a trusted key. */
  readonly approvers?: readonly string[];
  /** How many more there are than `approvers` names. Absent: none. */
  readonly moreApprovers?: number;
}

/** `announceRequest`'s recorded answer: the webhook took it. */
export interface AnnouncementReceipt {
  /** The header `webhook-id`, the same over all attempts, so that a receiver can drop repetitions. */
  readonly webhookId: string;
  /** The receiver's answer, 200 to 299. */
  readonly status: number;
}
