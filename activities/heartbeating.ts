import type { Context } from '@temporalio/activity';

/**
 * Runs the work while heartbeating three times in the activity's heartbeat timeout, so that cancellation
 * arrives and a dead worker is noticed. Sends none where the activity has no such timeout.
 */
export async function heartbeating<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const timeoutMs = context.info.heartbeatTimeoutMs ?? 0;
  if (timeoutMs <= 0) return work();
  context.heartbeat();
  const timer = setInterval(() => context.heartbeat(), timeoutMs / 3);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
