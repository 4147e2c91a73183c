import type { RiskLevel } from './tool.js';

// Type aliases, not interfaces: the manifest, which holds them, is assignable to JsonObject.

/** Who may decide about some tools. A rule without tools and levels is for all. */
export type ApproverRule = {
  /** Names of tools. Omitted: any. */
  readonly tools?: readonly string[];
  /** Omitted: any. */
  readonly riskLevels?: readonly RiskLevel[];
  /** Names of approvers. Default none. */
  readonly approvers?: readonly string[];
  /** Names of groups of the policy. Default none. */
  readonly groups?: readonly string[];
};

/** Who may decide what, pinned in a run's manifest (`hitl:authz`, `hitl:quorum`). What is omitted demands nothing. */
export type ApprovalPolicy = {
  /** Names of approvers by the name of their group. */
  readonly groups?: { readonly [group: string]: readonly string[] };
  /** The first that fits a request decides. None fits: nobody may. Omitted: whoever signs with a trusted key. */
  readonly rules?: readonly ApproverRule[];
  /** Distinct approvers that a level needs. Default 1. */
  readonly quorum?: { readonly [Level in RiskLevel]?: number };
  /** Whoever started the run may not decide in it; a start must say who that is. Default false. */
  readonly requesterMayNotApprove?: boolean;
  /** Levels at which only an approver's own key counts, not a server's word (`hitl:signed`). Default none. */
  readonly heldSignatureFor?: readonly RiskLevel[];
};
