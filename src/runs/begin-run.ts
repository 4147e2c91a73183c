import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { followHistory } from '../audit/follow-history.js';
import { TimelineFold } from '../audit/timeline-fold.js';
import type { RunEnd } from '../audit/timeline.js';
import type { HoldfastClient } from '../client.js';
import { codeOfType, HoldfastError } from '../contract/error-codes.js';
import type { StartRequest } from '../contract/manifest.js';
import { taskQueueOf } from '../contract/names.js';

/** A worker that lives prepares a run in far less. */
const PREPARE_LIMIT_MS = 10_000;
/** Whoever waits longer than this wants to know for what. */
const NOTICE_MS = 2_000;
/** Measured: a started worker is known after 0.1 s; the rest is for a loaded machine. */
const WORKER_LIMIT_MS = 5_000;
const POLL_MS = 100;

/**
 * Whether a worker of the agent is there, waited for by default up to 5 s: a run for a mistyped name would wait for
 * ever, and a worker that has just started is not known to the server at once.
 */
export async function hasWorker(
  client: HoldfastClient,
  agent: string,
  limitMs = WORKER_LIMIT_MS,
): Promise<boolean> {
  const { workflowService, options } = client.temporal;
  const taskQueue = { name: taskQueueOf(agent) };
  for (const deadline = Date.now() + limitMs; ; await delay(POLL_MS)) {
    const { pollers } = await workflowService.describeTaskQueue({ namespace: options.namespace, taskQueue });
    if (pollers.length > 0) return true;
    if (Date.now() > deadline) return false;
  }
}

/** Starts a run and gives its id. Throws HoldfastError `run_exists`, also when that run has ended. */
export async function beginRun(
  client: HoldfastClient,
  request: StartRequest,
  runId: string,
): Promise<string> {
  try {
    return await client.start(request, runId);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const text = 'A run of this id exists on this server, or did. Choose another id.';
    throw new HoldfastError('run_exists', text, { cause: error });
  }
}

/**
 * Whether a worker has begun with the run; it is waited for up to 10 s, and until a worker has prepared the run. Throws
 * the refusal when a worker took the start for a wrong one.
 *
 * @param say tells a person after 2 s what is waited for.
 */
export async function isTaken(
  client: HoldfastClient,
  runId: string,
  say: (line: string) => void = () => undefined,
): Promise<boolean> {
  const fold = new TimelineFold();
  const signal = AbortSignal.timeout(PREPARE_LIMIT_MS);
  let taken = false;
  const notice = setTimeout(
    () => say(taken ? 'Waiting for the worker to prepare the run.' : 'Waiting for a worker to take the run.'),
    NOTICE_MS,
  );
  try {
    for await (const event of followHistory(client.temporal, runId, { signal })) {
      // The server still lists a worker that stopped some minutes ago: only this tells that one is there.
      if (event.workflowTaskStartedEventAttributes) taken = true;
      for (const change of fold.add(event)) {
        if (change.kind === 'prepared') return true;
        if (change.kind !== 'ended') continue;
        expectAccepted(change.end);
        return true;
      }
    }
    return taken;
  } finally {
    clearTimeout(notice);
  }
}

function expectAccepted(end: RunEnd): void {
  if (end.status !== 'failed') return;
  throw new HoldfastError(codeOfType(end.type) ?? 'internal_error', end.message);
}
