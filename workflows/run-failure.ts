import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';

/**
 * A final failure of the run or of an update, with the dotted type that clients read. It has no stack: that
 * would put paths of the build machine into the history.
 */
export function failure(code: string, message: string, details?: unknown): ApplicationFailure {
  const made = ApplicationFailure.create({
    type: `holdfast.${code}`,
    message,
    nonRetryable: true,
    ...(details !== undefined && { details: [details] }),
  });
  made.stack = '';
  return made;
}

/**
 * What a run fails with. An activity's dotted failure becomes the run's own, so that a client reads the code
 * from the top; cancellation and continue-as-new pass as they are.
 */
export function runFailure(error: unknown): unknown {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) return error;
  const { cause, activityType } = error;
  if (cause instanceof ApplicationFailure) {
    const [, code = 'internal_error'] = /^holdfast\.(\w+)$/.exec(cause.type ?? '') ?? [];
    return failure(code, cause.message);
  }
  if (cause instanceof TimeoutFailure && activityType === 'callModel') {
    return failure('model_failed', 'The model did not answer in time, in any attempt.');
  }
  return failure(
    'worker_fault',
    `The activity ${activityType} did not end, in any attempt. Look after the workers.`,
  );
}
