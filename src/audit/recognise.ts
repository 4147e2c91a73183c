import { ANNOUNCEMENT_TYPES } from '../contract/announcement.js';
import type {
  AnnounceRequestInput,
  CallModelInput,
  CallModelResult,
  ExecuteToolInput,
} from '../contract/activities.js';
import type {
  CallKey,
  ExecutionResult,
  GuardVerdict,
  OutcomeStatus,
  ValidationVerdict,
} from '../contract/call.js';
import type { Decision, DecisionAnswer, DecisionVerdict } from '../contract/decision.js';
import { isJsonObject } from '../contract/json.js';
import type { PreparedRun } from '../contract/manifest.js';
import type { AgentRunInput, BudgetName, RunResult } from '../contract/run.js';

// What a history holds is told by the members that tell its kinds apart; the rest is as the activity wrote it.

const STATUSES: readonly OutcomeStatus[] = ['ok', 'error', 'denied', 'expired', 'cancelled'];

export function isAgentRunInput(value: unknown): value is AgentRunInput {
  if (!isJsonObject(value) || !isJsonObject(value.request)) return false;
  const { agent, prompt } = value.request;
  if (typeof agent !== 'string' || typeof prompt !== 'string') return false;
  const { carried } = value;
  if (carried === undefined) return true;
  return (
    isJsonObject(carried) &&
    isPreparedRun(carried.prepared) &&
    isJsonObject(carried.state) &&
    isIndex(carried.state.continuations) &&
    Array.isArray(carried.state.grants) &&
    carried.state.grants.every((grant) => isJsonObject(grant) && typeof grant.tool === 'string')
  );
}

export function isPreparedRun(value: unknown): value is PreparedRun {
  if (!isJsonObject(value) || !isJsonObject(value.manifest)) return false;
  const { agent, tools, requireApprovalFor } = value.manifest;
  return (
    isJsonObject(agent) &&
    Array.isArray(tools) &&
    tools.every((tool) => isJsonObject(tool) && typeof tool.name === 'string') &&
    Array.isArray(requireApprovalFor)
  );
}

/** The compiler holds it complete. */
const BUDGETS: Record<BudgetName, true> = {
  maxErrors: true,
  maxConsecutiveErrors: true,
  maxConsecutiveDenials: true,
  maxErrorsPerTool: true,
  maxTurns: true,
  maxTokens: true,
  maxWallClockMs: true,
};

export function isBudgetName(value: unknown): value is BudgetName {
  return typeof value === 'string' && Object.hasOwn(BUDGETS, value);
}

export function isCallModelInput(value: unknown): value is CallModelInput {
  return (
    isJsonObject(value) && isIndex(value.turn) && Array.isArray(value.append) && value.append.every(isEntry)
  );
}

export function isCallModelResult(value: unknown): value is CallModelResult {
  if (!isJsonObject(value) || !isJsonObject(value.content) || !isJsonObject(value.usage)) return false;
  const { text, calls } = value.content;
  return typeof text === 'string' && Array.isArray(calls) && calls.every(isProposed);
}

export function isValidationVerdict(value: unknown): value is ValidationVerdict {
  if (!isJsonObject(value) || typeof value.requestKey !== 'string' || typeof value.tool !== 'string')
    return false;
  return value.valid === true
    ? isJsonObject(value.args) && typeof value.argsDigest === 'string' && typeof value.riskLevel === 'string'
    : value.valid === false && typeof value.code === 'string' && typeof value.text === 'string';
}

export function isGuardVerdict(value: unknown): value is GuardVerdict {
  if (!isJsonObject(value) || typeof value.requestKey !== 'string') return false;
  return value.allowed === true
    ? Array.isArray(value.paths)
    : value.allowed === false && typeof value.code === 'string' && typeof value.text === 'string';
}

export function isDecisionVerdict(value: unknown): value is DecisionVerdict {
  if (!isJsonObject(value)) return false;
  if (value.repeated === true) return isJsonObject(value.answer);
  return value.accepted === true
    ? isDecision(value.decision) && isJsonObject(value.signature)
    : value.accepted === false && typeof value.code === 'string' && typeof value.text === 'string';
}

/** An answer to a decision that did not count. */
export function isUncounted(value: unknown): value is Extract<DecisionAnswer, { counted: false }> {
  if (!isJsonObject(value) || value.counted !== false) return false;
  return typeof value.code === 'string' && typeof value.text === 'string';
}

/** Enough of a decision to show it. Whether it counts is for its verdict to say. */
export function isDecision(value: unknown): value is Decision {
  return (
    isJsonObject(value) &&
    typeof value.requestKey === 'string' &&
    typeof value.decisionId === 'string' &&
    typeof value.approver === 'string' &&
    (value.decision === 'approve' || value.decision === 'deny' || value.decision === 'edit') &&
    (value.reason === undefined || typeof value.reason === 'string') &&
    (value.args === undefined || isJsonObject(value.args))
  );
}

export function isExecuteToolInput(value: unknown): value is ExecuteToolInput {
  return (
    isJsonObject(value) &&
    isCallKey(value.call) &&
    typeof value.tool === 'string' &&
    isJsonObject(value.args) &&
    isJsonObject(value.validation) &&
    typeof value.validation.argsDigest === 'string' &&
    isJsonObject(value.authorization) &&
    typeof value.authorization.kind === 'string'
  );
}

export function isAnnounceRequestInput(value: unknown): value is AnnounceRequestInput {
  if (!isJsonObject(value) || typeof value.webhook !== 'string' || !isJsonObject(value.announcement))
    return false;
  const { type, request } = value.announcement;
  return (
    ANNOUNCEMENT_TYPES.some((known) => known === type) && isJsonObject(request) && isCallKey(request.call)
  );
}

export function isExecutionResult(value: unknown): value is ExecutionResult {
  if (!isJsonObject(value) || typeof value.text !== 'string') return false;
  if (value.whole !== undefined && !isWholeOutput(value.whole)) return false;
  return value.status === 'ok' || (value.status === 'error' && typeof value.code === 'string');
}

function isWholeOutput(value: unknown): boolean {
  return isJsonObject(value) && typeof value.digest === 'string' && isIndex(value.bytes);
}

export function isRunResult(value: unknown): value is RunResult {
  return (
    isJsonObject(value) &&
    (value.status === 'done' || value.status === 'budget_exhausted') &&
    typeof value.text === 'string' &&
    isJsonObject(value.budget) &&
    (value.untold === undefined || (Array.isArray(value.untold) && value.untold.every(isEndedCall)))
  );
}

function isEndedCall(value: unknown): boolean {
  return isCallKey(value) && isJsonObject(value) && STATUSES.some((status) => status === value.status);
}

function isEntry(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value.kind !== 'string') return false;
  if (value.kind !== 'tool_result') return true;
  return isCallKey(value.call) && STATUSES.some((status) => status === value.status);
}

function isProposed(value: unknown): boolean {
  return isJsonObject(value) && typeof value.tool === 'string' && typeof value.argsText === 'string';
}

function isCallKey(value: unknown): value is CallKey {
  return isJsonObject(value) && isIndex(value.turn) && isIndex(value.index);
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
