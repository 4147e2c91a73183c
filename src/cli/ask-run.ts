import { isGrpcCancelledError, isGrpcDeadlineError, isGrpcServiceError } from '@temporalio/client';
import type { HoldfastClient } from '../client.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { RunStatus } from '../contract/run.js';

/** A worker that lives answers in far less; one may be starting. */
const ANSWER_LIMIT_MS = 10_000;

/** The state of a run. Throws HoldfastError `no_worker` when no worker of its agent answers in time. */
export async function statusOf(client: HoldfastClient, runId: string): Promise<RunStatus> {
  return inTime(client, () => client.status(runId));
}

/** Asks what only a worker can answer; HoldfastError `no_worker` when none does within 10 s. */
export async function inTime<T>(client: HoldfastClient, ask: () => Promise<T>): Promise<T> {
  try {
    return await client.temporal.withDeadline(Date.now() + ANSWER_LIMIT_MS, ask);
  } catch (error) {
    if (!meansNoWorker(error instanceof Error && error.cause ? error.cause : error)) throw error;
    const text = 'No worker of this agent answers. Start one with `holdfast worker MODULE`, then try again.';
    throw new HoldfastError('no_worker', text, { cause: error });
  }
}

const FAILED_PRECONDITION = 9;

/** Our deadline passed, or the server knows that nobody has polled for a while. */
function meansNoWorker(error: unknown): boolean {
  // Nobody here cancels: when the server's side of the deadline passes first, it says so in this way.
  if (isGrpcDeadlineError(error) || isGrpcCancelledError(error)) return true;
  if (!isGrpcServiceError(error)) return false;
  const code: number = error.code;
  return code === FAILED_PRECONDITION && error.details.includes('no poller');
}
