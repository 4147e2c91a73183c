import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { HoldfastError, type ErrorCode } from '../src/contract/error-codes.js';
import { ModelFailure } from '../src/models/model.js';
import { WebhookFailure } from '../src/webhooks/webhook-failure.js';

/** The longest wait that a provider's Retry-After can ask for, milliseconds. */
export const LONGEST_RETRY_AFTER_MS = 5 * 60_000;

/**
 * What an activity throws, as Temporal shall see it: the one place that decides whether another attempt
 * follows. The type is `holdfast.` and a code of ERROR_CODES.
 *
 * ModelFailure: retried when it says so, after its Retry-After, at most LONGEST_RETRY_AFTER_MS. WebhookFailure:
 * retried when it says so. HoldfastError:
 * final. A system error, such as a full disk: `holdfast.worker_fault`, retried. Everything else is a defect:
 * `holdfast.internal_error`, final, with the error's class and place. Neither causes nor stack traces nor
 * foreign texts enter the history: they may hold secrets and absolute paths (`model:clean`). Temporal's own
 * failures pass as they are.
 */
export function asActivityFailure(error: unknown): ApplicationFailure | CancelledFailure {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  if (error instanceof ModelFailure)
    return failure(error.code, error.message, !error.retryable, error.retryAfterMs);
  if (error instanceof WebhookFailure) return failure('webhook_failed', error.message, !error.retryable);
  if (error instanceof HoldfastError) return failure(error.code, error.message, true);
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    const text = `The worker's machine refused ${word(error.syscall)} with ${word(error.code)}: look after its disk.`;
    return failure('worker_fault', text, false);
  }
  const what =
    error instanceof Error ? `${word(error.name)} at ${placeOf(error)}` : 'a value that is no Error';
  return failure('internal_error', `A defect of Holdfast, please report it: ${what}.`, true);
}

function failure(
  code: ErrorCode,
  message: string,
  nonRetryable: boolean,
  retryAfterMs?: number,
): ApplicationFailure {
  const made = ApplicationFailure.create({
    type: `holdfast.${code}`,
    message,
    nonRetryable,
    ...(retryAfterMs !== undefined && { nextRetryDelay: Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS) }),
  });
  made.stack = '';
  return made;
}

function word(value: unknown): string {
  return typeof value === 'string' && /^\w{1,64}$/.test(value) ? value : 'something';
}

/** File and line of the innermost frame, without its folders. */
function placeOf(error: Error): string {
  return /^\s+at .*?([\w.-]+:\d+):\d+\)?$/m.exec(error.stack ?? '')?.[1] ?? 'an unknown place';
}
