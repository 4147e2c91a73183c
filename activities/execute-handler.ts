import { ApplicationFailure, type Context } from '@temporalio/activity';
import type { ExecuteToolInput } from '../src/contract/activities.js';
import type { JsonObject } from '../src/contract/json.js';
import { MODEL_TEXTS } from '../src/policy/model-texts.js';
import { PreconditionChangedError } from '../src/registry/precondition-changed-error.js';
import { RetryableToolError } from '../src/registry/retryable-tool-error.js';
import type { RegisteredTool } from '../src/registry/tool-registry.js';
import type { ToolContext, ToolLogger } from '../src/registry/tool.js';
import { PathChangedError } from '../src/workspace/path-changed-error.js';
import type { Workspace } from '../src/workspace/workspace.js';
import { isInstance } from './is-instance.js';
import { runHandler, type HandlerEnd } from './run-handler.js';
import { thrownText } from './thrown-text.js';
import { errorEnd, type ToolEnd } from './tool-end.js';
import { readResult } from './tool-result.js';

/** What is about to run, once every check was made again. */
export interface ReadyCall {
  readonly input: ExecuteToolInput;
  readonly current: RegisteredTool;
  readonly workspace: Workspace;
  /** A copy in which each path is a GuardedPath. */
  readonly args: JsonObject;
}

type Last = Extract<HandlerEnd, { kind: 'timed_out' | 'cancelled' }>['last'];

/** How many times a call may be started. */
interface Attempts {
  readonly attempt: number;
  readonly most: number;
}

/** Runs a handler whose call is ready, and makes one end of whatever it does (`tool:handler-throws`). */
export async function executeHandler(context: Context, ready: ReadyCall): Promise<ToolEnd> {
  const { input, current } = ready;
  const { execution } = input;
  const idempotent = execution.idempotent && current.manifest.idempotent;
  const attempts = { attempt: context.info.attempt, most: idempotent ? execution.maxAttempts : 1 };
  if (attempts.attempt > attempts.most) return errorEnd('interrupted', MODEL_TEXTS.interrupted(idempotent));
  if (context.cancellationSignal.aborted) return context.cancelled;
  const end = await runHandler({
    handler: (signal) => current.run(ready.args, toolContext(context, ready, signal)),
    timeoutMs: execution.timeoutMs,
    cancellation: context.cancellationSignal,
  });
  switch (end.kind) {
    case 'returned':
      return readResult(end.value);
    case 'threw':
      return thrownEnd(end.error, ready, attempts);
    case 'timed_out':
      return errorEnd('tool_timeout', timeoutText(execution.timeoutMs, end.last !== undefined));
    case 'cancelled':
      return isShutdown(context)
        ? shutdownEnd(end.last, idempotent, attempts)
        : (finishedAnyway(end.last) ?? context.cancelled);
  }
}

function toolContext(context: Context, { input, workspace }: ReadyCall, signal: AbortSignal): ToolContext {
  const { runId, call, idempotencyKey, tool, authorization } = input;
  const basis = authorization.kind === 'decision' ? authorization.basis : undefined;
  return {
    runId,
    call,
    idempotencyKey,
    attempt: context.info.attempt,
    signal,
    heartbeat: () => context.heartbeat(),
    workspace,
    ...(basis !== undefined && { basis }),
    log: toolLogger(context, { tool, call: idempotencyKey }),
  };
}

function toolLogger({ log }: Context, meta: JsonObject): ToolLogger {
  return {
    info: (message, fields) => log.info(message, { ...fields, ...meta }),
    warn: (message, fields) => log.warn(message, { ...fields, ...meta }),
  };
}

function thrownEnd(error: unknown, { workspace }: ReadyCall, { attempt, most }: Attempts): ToolEnd {
  if (isInstance(error, PathChangedError)) return errorEnd('path_changed', error.message);
  if (isInstance(error, PreconditionChangedError)) return errorEnd('precondition_changed', error.message);
  const text = thrownText(error, workspace.root);
  if (isInstance(error, RetryableToolError) && attempt < most) throw retryable(text);
  return errorEnd('tool_error', text);
}

function timeoutText(timeoutMs: number, stopped: boolean): string {
  return (
    `The tool did not end within ${timeoutMs / 1000} s${stopped ? ' and was stopped' : ' and may still be running'}. ` +
    'It may have done part of its work: check its effect before you repeat it.'
  );
}

function isShutdown({ cancellationSignal }: Context): boolean {
  const reason: unknown = cancellationSignal.reason;
  return reason instanceof Error && reason.message === 'WORKER_SHUTDOWN';
}

/** A tool that still ended well was not cancelled, and its effect stands. An error then is only its stopping. */
function finishedAnyway(last: Last): ToolEnd | undefined {
  if (last?.kind !== 'returned') return undefined;
  const end = readResult(last.value);
  return end.status === 'ok' ? end : undefined;
}

/** The server asked for no cancellation, so an outcome must be given: the true one, if there still was one. */
function shutdownEnd(last: Last, idempotent: boolean, { attempt, most }: Attempts): ToolEnd {
  if (last?.kind === 'returned') return readResult(last.value);
  if (attempt < most) throw retryable('The worker shut down while the tool ran.');
  return errorEnd('interrupted', MODEL_TEXTS.interrupted(idempotent));
}

function retryable(message: string): ApplicationFailure {
  const failure = ApplicationFailure.retryable(message, 'holdfast.tool_error');
  // A stack holds absolute paths, and it would enter the history.
  failure.stack = '';
  return failure;
}
