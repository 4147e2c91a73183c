import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';

/**
 * What a run fails with. An activity's dotted failure becomes the run's own, so that a client reads the code
 * from the top; cancellation and continue-as-new pass as they are.
 */
export function runFailure(error: unknown): unknown {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) return error;
  const { cause } = error;
  if (cause instanceof ApplicationFailure) {
    const type = cause.type?.startsWith('holdfast.') ? cause.type : 'holdfast.internal_error';
    return ApplicationFailure.create({ type, message: cause.message, nonRetryable: true, cause: error });
  }
  if (cause instanceof TimeoutFailure && error.activityType === 'callModel') {
    return ApplicationFailure.create({
      type: 'holdfast.model_failed',
      message: 'The model did not answer in time, in any attempt.',
      nonRetryable: true,
      cause: error,
    });
  }
  return error;
}
