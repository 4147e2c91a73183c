import type { ApprovalPolicy } from '../contract/approval-policy.js';
import type { Authorization } from '../contract/call.js';
import type { Grant } from '../contract/run.js';
import { RISK_LEVELS, type RiskLevel } from '../contract/tool.js';
import { autoDenialOf } from './auto-deny.js';

/** What the risk policy says of a checked call. */
export type Permission =
  | { readonly kind: 'ask'; readonly grantable: boolean }
  /** By the policy's `autoDeny`, which nothing overrules. */
  | { readonly kind: 'deny'; readonly reason?: string }
  | Exclude<Authorization, { kind: 'decision' }>;

/**
 * `risk:free`, `risk:mutation`, `risk:always`, `risk:require-approval-for`. A level that is none of the five asks
 * every time and is never covered by a grant: unknown risk means no. What the approval policy denies at once is
 * denied before all that.
 */
export function permissionFor(
  tool: string,
  riskLevel: RiskLevel,
  grants: readonly Grant[],
  requireApprovalFor: readonly string[],
  approvals: ApprovalPolicy,
): Permission {
  const denial = autoDenialOf(approvals, tool, riskLevel);
  if (denial) return { kind: 'deny', ...(denial.reason !== undefined && { reason: denial.reason }) };
  if (requireApprovalFor.includes(tool)) return { kind: 'ask', grantable: false };
  if (isFree(riskLevel)) return { kind: 'free', riskLevel };
  if (!isGrantable(riskLevel)) return { kind: 'ask', grantable: false };
  const grant = grants.find((g) => g.tool === tool);
  if (!grant) return { kind: 'ask', grantable: true };
  const { decisionId, approver } = grant;
  return { kind: 'grant', decisionId, approver, approvals: grant.approvals };
}

/** safe and read_only run without asking (`risk:free`). */
export function isFree(riskLevel: RiskLevel): boolean {
  return riskLevel === 'safe' || riskLevel === 'read_only';
}

/** Only mutation can be granted for a run (`risk:mutation`, `risk:always`). */
export function isGrantable(riskLevel: RiskLevel): boolean {
  return riskLevel === 'mutation';
}

/** The stricter of two levels (`risk:pinned`). */
export function stricter(a: RiskLevel, b: RiskLevel): RiskLevel {
  return RISK_LEVELS.indexOf(a) >= RISK_LEVELS.indexOf(b) ? a : b;
}
