import type { ApprovalRequest } from '../contract/decision.js';
import type { PendingSummary, SummarisedRequest } from '../contract/inbox.js';
import { LIMITS } from '../contract/limits.js';

/** What an inbox shows of the requests that wait in a run. */
export function pendingSummary(pending: readonly ApprovalRequest[]): PendingSummary {
  return {
    count: pending.length,
    requests: pending.slice(0, LIMITS.summarisedRequests).map(summaryOf),
  };
}

/**
 * By what an inbox is filtered: `tool:NAME` and `risk:LEVEL` of the requests that wait, each once. Null when nothing
 * waits, so that the server finds the runs in which something does.
 */
export function pendingKeywords(pending: readonly ApprovalRequest[]): string[] | null {
  const keywords = new Set(
    pending.flatMap(({ tool, riskLevel }) => [toolKeyword(tool), riskKeyword(riskLevel)]),
  );
  return keywords.size === 0 ? null : [...keywords];
}

export function toolKeyword(tool: string): string {
  return `tool:${tool}`;
}

export function riskKeyword(riskLevel: string): string {
  return `risk:${riskLevel}`;
}

function summaryOf({
  requestKey,
  call,
  tool,
  riskLevel,
  requestedAt,
  expiresAt,
  escalatedAt,
  quorum,
  approvals = [],
}: ApprovalRequest): SummarisedRequest {
  return {
    requestKey,
    call,
    tool,
    riskLevel,
    requestedAt,
    expiresAt,
    ...(escalatedAt !== undefined && { escalatedAt }),
    ...(quorum !== undefined && quorum > 1 && { quorum, approved: approvals.length }),
  };
}
