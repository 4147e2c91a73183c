import { isGrpcCancelledError, isGrpcDeadlineError, isGrpcServiceError } from '@temporalio/client';
import type { HoldfastClient } from '../client.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { RunStatus } from '../contract/run.js';

/** A worker that lives answers in far less; one may be starting, or read a long history anew. */
const ANSWER_LIMIT_MS = 10_000;
/** Whoever waits longer than this wants to know for what. */
const NOTICE_MS = 2_000;

/** How long an answer is waited for. */
export interface Waiting {
  /** Default 10,000. */
  readonly limitMs?: number | undefined;
  /** Tells a person after 2 s what is waited for. */
  readonly say?: (line: string) => void;
}

/** The state of a run. Throws HoldfastError `no_worker` when no worker of its agent answers in time. */
export async function statusOf(
  client: HoldfastClient,
  runId: string,
  waiting: Waiting = {},
): Promise<RunStatus> {
  return inTime(client, () => client.status(runId), waiting);
}

/** Asks what only a worker can answer; HoldfastError `no_worker` when none does in time. */
export async function inTime<T>(
  client: HoldfastClient,
  ask: () => Promise<T>,
  { say, limitMs = ANSWER_LIMIT_MS }: Waiting = {},
): Promise<T> {
  const notice =
    say && setTimeout(() => say('Waiting for a worker of this agent to answer, at most 10 s.'), NOTICE_MS);
  try {
    return await client.temporal.withDeadline(Date.now() + limitMs, ask);
  } catch (error) {
    if (!meansNoWorker(error instanceof Error && error.cause ? error.cause : error)) throw error;
    const text = 'No worker of this agent answers. Start one with `holdfast worker MODULE`, then try again.';
    throw new HoldfastError('no_worker', text, { cause: error });
  } finally {
    clearTimeout(notice);
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
