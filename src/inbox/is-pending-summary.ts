import type { PendingSummary, SummarisedRequest } from '../contract/inbox.js';
import { isJsonObject } from '../contract/json.js';
import { RISK_LEVELS } from '../contract/tool.js';

/** Whether a memo holds what waits, as this version writes it: anybody with access to the namespace may start a run. */
export function isPendingSummary(value: unknown): value is PendingSummary {
  if (!isJsonObject(value) || !isNumber(value.count) || !Array.isArray(value.requests)) return false;
  return value.requests.every(isSummarised);
}

function isSummarised(value: unknown): value is SummarisedRequest {
  if (!isJsonObject(value) || !isJsonObject(value.call)) return false;
  const { requestKey, tool, riskLevel, call, requestedAt, expiresAt, quorum = 1, approved = 0 } = value;
  const { escalatedAt = 0 } = value;
  return (
    [requestKey, tool].every((name) => typeof name === 'string') &&
    RISK_LEVELS.some((level) => level === riskLevel) &&
    [call.turn, call.index, requestedAt, expiresAt, escalatedAt, quorum, approved].every(isNumber)
  );
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}
