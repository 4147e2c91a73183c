import type { Decision } from '../contract/decision.js';
import { isJsonObject } from '../contract/json.js';

/**
 * Whether a payload has every member of a decision, of its type. Lengths and digests are judged by
 * DECISION_SCHEMA, which needs an activity (`hitl:revalidated`).
 */
export function isDecision(payload: unknown): payload is Decision {
  if (!isJsonObject(payload)) return false;
  const { requestKey, decision, argsDigest, decisionId, approver, args, reason, scope } = payload;
  const names = [requestKey, argsDigest, decisionId, approver];
  if (!names.every((name) => typeof name === 'string')) return false;
  if (reason !== undefined && typeof reason !== 'string') return false;
  if (scope !== undefined && scope !== 'once' && scope !== 'run') return false;
  return decision === 'edit'
    ? isJsonObject(args)
    : (decision === 'approve' || decision === 'deny') && args === undefined;
}
