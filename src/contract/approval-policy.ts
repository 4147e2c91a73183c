import type { RiskLevel } from './tool.js';

// Type aliases, not interfaces: the manifest, which holds them, is assignable to JsonObject.

/** Approvers and groups, by name. */
export type ApproverNames = {
  /** Names of approvers. Default none. */
  readonly approvers?: readonly string[];
  /** Names of groups of the policy. Default none. */
  readonly groups?: readonly string[];
};

/** Who may decide about some tools. A rule without tools and levels is for all. */
export type ApproverRule = ApproverNames & {
  /** Names of tools. Omitted: any. */
  readonly tools?: readonly string[];
  /** Omitted: any. */
  readonly riskLevels?: readonly RiskLevel[];
};

/** Calls that are denied at once, without a person. It names tools, levels or both; then both must fit. */
export type AutoDenyRule = {
  /** Names of tools. Omitted: any of the levels. */
  readonly tools?: readonly string[];
  /** Omitted: any. */
  readonly riskLevels?: readonly RiskLevel[];
  /** What the model reads of it, at most 1,000 characters. Default: a text that gives none. */
  readonly reason?: string;
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
  /**
   * Calls that are denied without asking, free ones and those that a grant covers too: their outcome is `denied`, and
   * nothing runs. The first rule that fits gives the reason. Default none.
   */
  readonly autoDeny?: readonly AutoDenyRule[];
  /**
   * A request that is not decided within this many milliseconds is announced again, once, to `escalateTo`
   * (`hitl:escalate`). Goes with `escalateTo`, and is shorter than the agent's approvalTimeoutMs. Default: never.
   */
  readonly escalateAfterMs?: number;
  /**
   * Whom an undecided request is announced to next. It gives no right: with `rules`, only those of them who may decide
   * by these are named, and a tool that asks must have one.
   */
  readonly escalateTo?: ApproverNames;
};
