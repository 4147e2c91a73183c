import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';
import type { ExecuteToolInput } from '../src/contract/activities.js';
import type { Authorization, CallOutcome, ExecutionResult } from '../src/contract/call.js';
import { jsonBytes, type JsonObject } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import { MODEL_TEXTS } from '../src/policy/model-texts.js';
import { toolActivities } from './activities.js';
import type { AuthorizedCall } from './authorize-call.js';
import type { CallEnd } from '../src/contract/turn-under-way.js';
import { failed, isInfrastructureFault, stopped } from './call-end.js';
import type { Run } from './run.js';

/** How much of edited arguments the model is told when no activity could store them, characters of JSON. */
const LOST_ARGUMENTS = 2000;

/**
 * The one way in which a tool runs (`run:activities`). Never throws for what a tool or a worker did. Undefined when
 * the grant that it was to run by was taken back before it started, so that it did not (`hitl:grants`).
 */
export async function execute(run: Run, call: AuthorizedCall): Promise<CallEnd | undefined> {
  const { tool, key, requestKey, args, validation, guard, authorization } = call;
  const { timeoutMs, idempotent, maxAttempts, maxOutputBytes, pathArgs } = tool;
  const edited = authorization.kind === 'decision' && authorization.decision === 'edit';
  try {
    const input: ExecuteToolInput = {
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
      execution: {
        timeoutMs,
        idempotent,
        maxAttempts,
        maxOutputBytes,
        pathArgs,
        ...(run.manifest.keepWholeOutputs && { keepWholeOutput: true }),
      },
    };
    const release = await run.room.reserve(jsonBytes(input), answerBytes(maxOutputBytes, edited ? args : {}));
    try {
      if (run.isStopping) return stopped(run);
      if (isRevoked(run, authorization)) return undefined;
      const result = await toolActivities(tool).executeTool(input);
      return { outcome: outcomeOf(result), text: { stored: result.output } };
    } finally {
      release();
    }
  } catch (error) {
    if (!isInfrastructureFault(error)) throw error;
    const lost = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;
    return failed(
      'interrupted',
      (edited ? MODEL_TEXTS.edited(args, LOST_ARGUMENTS) : '') +
        (lost ? MODEL_TEXTS.interrupted(idempotent) : MODEL_TEXTS.executionFailed),
    );
  }
}

/** About the most that an execution answers: its output, its details, and the arguments that an edit told of. */
function answerBytes(maxOutputBytes: number, told: JsonObject): number {
  return maxOutputBytes + LIMITS.detailsBytes + jsonBytes(told);
}

function isRevoked(run: Run, authorization: Authorization): boolean {
  if (authorization.kind !== 'grant') return false;
  return !run.state.grants.some(({ decisionId }) => decisionId === authorization.decisionId);
}

function outcomeOf(result: ExecutionResult): CallOutcome {
  return result.status === 'ok' ? { status: 'ok' } : { status: 'error', code: result.code };
}
