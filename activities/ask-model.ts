import type { Context } from '@temporalio/activity';
import { ModelFailure, type Model, type ModelRequest, type ModelResponse } from '../src/models/model.js';

/**
 * Asks the model once, for at most `timeoutMs` milliseconds, then throws a retryable ModelFailure
 * (`model:failures`). Cancellation of the activity throws its CancelledFailure. Both abort the request's
 * signal, and neither waits for a model that does not heed it.
 */
export async function askModel(
  context: Context,
  model: Model,
  request: Omit<ModelRequest, 'signal'>,
  timeoutMs: number,
): Promise<ModelResponse> {
  const cancellation = context.cancellationSignal;
  if (cancellation.aborted) return context.cancelled;
  const controller = new AbortController();
  const abort = (): void => controller.abort(cancellation.reason);
  cancellation.addEventListener('abort', abort, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const failure = new ModelFailure(`The model did not answer within ${timeoutMs} ms.`, true);
      reject(failure);
      controller.abort(failure);
    }, timeoutMs);
  });
  try {
    return await Promise.race([
      context.cancelled,
      tooLong,
      model.generate({ ...request, signal: controller.signal }),
    ]);
  } finally {
    clearTimeout(timer);
    cancellation.removeEventListener('abort', abort);
  }
}
