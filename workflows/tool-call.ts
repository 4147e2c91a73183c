import { ActivityFailure, isCancellation, TimeoutFailure, uuid4, workflowInfo } from '@temporalio/workflow';
import type {
  Authorization,
  CallKey,
  CallOutcome,
  ExecutionResult,
  ProposedCall,
} from '../src/contract/call.js';
import type { ApprovalRequest, AllowedPaths, ValidArguments } from '../src/contract/decision.js';
import type { CallErrorCode } from '../src/contract/error-codes.js';
import type { JsonObject } from '../src/contract/json.js';
import type { ManifestTool } from '../src/contract/manifest.js';
import type { TranscriptText } from '../src/contract/transcript.js';
import { MODEL_TEXTS } from '../src/policy/model-texts.js';
import { permissionFor } from '../src/policy/risk.js';
import { guardPaths, toolActivities, validateToolCall } from './activities.js';
import type { ApprovalGate, Ruling } from './approval-gate.js';
import type { Run } from './run.js';

/** How a call ended, and what the model reads of it. */
export interface CallEnd {
  readonly outcome: CallOutcome;
  readonly text: TranscriptText;
}

/** A call with two positive verdicts over its arguments. Only `check` and an accepted edit make one. */
export interface CheckedCall {
  readonly requestKey: string;
  readonly key: CallKey;
  readonly tool: ManifestTool;
  readonly args: JsonObject;
  readonly validation: ValidArguments;
  readonly guard: AllowedPaths;
}

/** A checked call that may run. Only `authorize` makes one. */
export interface AuthorizedCall extends CheckedCall {
  readonly authorization: Authorization;
}

/** Validate, then guard (`hitl:order`). A call that fails either never reaches a person or a tool. */
export async function check(run: Run, key: CallKey, call: ProposedCall): Promise<CheckedCall | CallEnd> {
  const { manifest, agent } = run;
  const requestKey = `${run.id}:${String(key.turn)}:${String(key.index)}:${uuid4()}`;
  const recorded = manifest.tools.find((tool) => tool.name === call.tool);
  try {
    const verdict = await validateToolCall({
      agent,
      requestKey,
      call,
      salt: manifest.salt,
      surface: manifest.tools.map((tool) => tool.name),
      ...(recorded && { recorded }),
    });
    if (!verdict.valid) return failed(verdict.code, verdict.text);
    if (!recorded) return failed('unknown_tool', MODEL_TEXTS.checkFailed);
    const { args, ...validation } = verdict;
    const { argsDigest } = validation;
    const guard = await guardPaths({
      agent,
      requestKey,
      tool: recorded.name,
      pathArgs: recorded.pathArgs,
      riskLevel: validation.riskLevel,
      protectedPaths: manifest.protectedPaths,
      args,
      argsDigest,
    });
    if (!guard.allowed) return failed(guard.code, guard.text);
    return { requestKey, key, tool: recorded, args, validation, guard };
  } catch (error) {
    if (!isInfrastructureFault(error)) throw error;
    return failed('check_failed', MODEL_TEXTS.checkFailed);
  }
}

/** Asks when the policy says so. Gives the call with its authorization, the arguments being those to run. */
export async function authorize(
  run: Run,
  gate: ApprovalGate,
  checked: CheckedCall,
  modelText: string,
): Promise<AuthorizedCall | CallEnd> {
  if (run.state.exhausted) return stopped(run);
  const permission = permissionFor(checked.tool.name, checked.validation.riskLevel, run.state.grants);
  if (permission.kind !== 'ask') return { ...checked, authorization: permission };
  const ruling = await gate.ask(requestFor(run, checked, permission.grantable, modelText));
  switch (ruling.kind) {
    case 'denied':
      return { outcome: { status: 'denied' }, text: { inline: MODEL_TEXTS.denied(ruling.reason) } };
    case 'expired':
      return { outcome: { status: 'expired' }, text: { inline: MODEL_TEXTS.expired } };
    case 'withdrawn':
      return stopped(run);
    case 'approved':
      return authorized(checked, ruling);
    case 'edited':
      return authorized(withEdit(checked, ruling), ruling);
  }
}

/** The one way in which a tool runs (`run:activities`). Never throws for what a tool or a worker did. */
export async function execute(run: Run, call: AuthorizedCall): Promise<CallEnd> {
  if (run.state.exhausted) return stopped(run);
  const { tool, key, requestKey, args, validation, guard, authorization } = call;
  const { timeoutMs, idempotent, maxAttempts, maxOutputBytes, pathArgs } = tool;
  const edited = authorization.kind === 'decision' && authorization.decision === 'edit';
  const preface = edited ? MODEL_TEXTS.edited(args) : '';
  try {
    const result = await toolActivities(tool).executeTool({
      agent: run.agent,
      runId: run.id,
      call: key,
      idempotencyKey: `${run.id}:${String(key.turn)}:${String(key.index)}`,
      requestKey,
      tool: tool.name,
      args,
      salt: run.manifest.salt,
      validation,
      guard,
      authorization,
      protectedPaths: run.manifest.protectedPaths,
      execution: { timeoutMs, idempotent, maxAttempts, maxOutputBytes, pathArgs },
    });
    return { outcome: outcomeOf(result), text: { stored: result.output, ...(edited && { preface }) } };
  } catch (error) {
    if (!isInfrastructureFault(error)) throw error;
    const lost = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;
    return failed(
      'interrupted',
      preface + (lost ? MODEL_TEXTS.interrupted(idempotent) : MODEL_TEXTS.executionFailed),
    );
  }
}

/** The end of a call that a budget stopped, or the run's cancellation. */
export function stopped(run: Run): CallEnd {
  const { exhausted } = run.state;
  return exhausted ? failed('budget_exhausted', MODEL_TEXTS.budgetStopped(exhausted)) : cancelled();
}

export function cancelled(): CallEnd {
  return { outcome: { status: 'cancelled' }, text: { inline: MODEL_TEXTS.cancelled } };
}

export function failed(code: CallErrorCode, text: string): CallEnd {
  return { outcome: { status: 'error', code }, text: { inline: text } };
}

/** Timeouts, dead workers, exhausted attempts. A defect of ours is `holdfast.internal_error` and is thrown on. */
function isInfrastructureFault(error: unknown): boolean {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) return false;
  return !(error.cause && 'type' in error.cause && error.cause.type === 'holdfast.internal_error');
}

function outcomeOf(result: ExecutionResult): CallOutcome {
  return result.status === 'ok' ? { status: 'ok' } : { status: 'error', code: result.code };
}

function requestFor(run: Run, checked: CheckedCall, grantable: boolean, modelText: string): ApprovalRequest {
  const { key, tool, args, validation, guard } = checked;
  const requestedAt = Date.now();
  return {
    // After a reset of the workflow the nonce may be that of before, but the execution is another.
    requestKey: `${checked.requestKey}:${workflowInfo().runId}`,
    call: key,
    tool: tool.name,
    ...(tool.label !== undefined && { label: tool.label }),
    riskLevel: validation.riskLevel,
    args,
    argsDigest: validation.argsDigest,
    schemaDigest: validation.schemaDigest,
    paths: guard.paths,
    modelText,
    requestedAt,
    expiresAt: requestedAt + run.manifest.approvalTimeoutMs,
    grantable,
  };
}

type Permitting = Extract<Ruling, { kind: 'approved' | 'edited' }>;

function authorized(checked: CheckedCall, { decision }: Permitting): AuthorizedCall {
  const authorization = {
    kind: 'decision',
    requestKey: decision.requestKey,
    decisionId: decision.decisionId,
    approver: decision.approver,
    decision: decision.decision === 'edit' ? 'edit' : 'approve',
    argsDigest: checked.validation.argsDigest,
  } as const;
  return { ...checked, authorization };
}

function withEdit(checked: CheckedCall, { decision, verdict }: Permitting): CheckedCall {
  const { args } = decision;
  const { edited } = verdict;
  // validateApproval accepts an edit only with both.
  if (!args || !edited) throw new TypeError('An accepted edit lacks its arguments or its verdicts.');
  const { requestKey } = verdict;
  return { ...checked, requestKey, args, validation: edited.validation, guard: edited.guard };
}
