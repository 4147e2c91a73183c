import { isJsonObject } from '../contract/json.js';
import { isAccepted, type CallRecord, type DecisionRecord } from './timeline.js';

/**
 * The decisions by which the call runs, or must not, oldest first: every approval that its quorum counted
 * (`hitl:quorum`), or the one denial. An edit voids those before it, and the last one of a complete quorum has
 * `remaining` 0. Empty while nobody has decided.
 */
export function countedDecisions({ decisions, execution }: CallRecord): readonly DecisionRecord[] {
  const accepted = decisions.filter(isAccepted);
  const denial = accepted.find(({ decision }) => decision?.decision === 'deny');
  if (denial) return [denial];
  const named = execution && namedIn(execution.authorization);
  // What ran says itself whose approvals it counted.
  if (named) return accepted.filter(({ decision }) => decision && named.includes(decision.decisionId));
  const edit = accepted.findLastIndex(({ decision }) => decision?.decision === 'edit');
  return accepted.slice(Math.max(0, edit));
}

/** Undefined for what a history does not hold as this version writes it. */
function namedIn(authorization: unknown): readonly unknown[] | undefined {
  if (!isJsonObject(authorization) || !Array.isArray(authorization.approvals)) return undefined;
  return authorization.approvals.map((approval) => isJsonObject(approval) && approval.decisionId);
}
