import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import type { CallErrorCode } from '../src/contract/error-codes.js';
import type { CallEnd } from '../src/contract/turn-under-way.js';
import { MODEL_TEXTS } from '../src/policy/model-texts.js';
import type { Run } from './run.js';

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
export function isInfrastructureFault(error: unknown): boolean {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) return false;
  return !(error.cause && 'type' in error.cause && error.cause.type === 'holdfast.internal_error');
}
