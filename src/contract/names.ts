/** Names that clients of any SDK use. They are never renamed. */
export const WORKFLOW_TYPE = 'agentRun';
export const APPROVAL_SIGNAL = 'approval';
export const DECIDE_UPDATE = 'decideApproval';
export const CONTROL_SIGNAL = 'control';
export const CONTROL_UPDATE = 'controlRun';
export const STATUS_QUERY = 'status';
/** In a run's memo: the budget that is used up, or null. */
export const EXHAUSTED_MEMO = 'exhausted';
/** In a run's memo: a `PendingSummary` of what waits for people. */
export const PENDING_MEMO = 'pending';
/** A search attribute of type KeywordList: `tool:NAME` and `risk:LEVEL` of what waits; null when nothing does. */
export const PENDING_ATTRIBUTE = 'HoldfastPending';

/** The text for a request that carries a cwd (`path:workspace`). */
export const CWD_NOT_PERMITTED = 'Client-supplied cwd is not permitted; the workspace is server-resolved.';

/** The task queue of an agent's workers: those that hold its workspace. */
export function taskQueueOf(agent: string): string {
  return `holdfast.${agent}`;
}
