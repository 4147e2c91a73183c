import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { followHistory } from '../audit/follow-history.js';
import { TimelineFold } from '../audit/timeline-fold.js';
import type { RunEnd } from '../audit/timeline.js';
import type { HoldfastClient } from '../client.js';
import { HoldfastError, isErrorCode } from '../contract/error-codes.js';
import { LIMITS } from '../contract/limits.js';
import type { StartRequest } from '../contract/manifest.js';
import { taskQueueOf } from '../contract/names.js';
import type { CommandContext } from './command-line.js';
import type { Exit } from './exit-codes.js';
import { followRun } from './follow-run.js';
import { withClient } from './open-client.js';
import { jsonLine } from './print-json.js';
import type { RunOptions } from './run.js';
import { shellWord } from './shell-word.js';
import type { Terminal } from './terminal.js';

/** A worker that lives prepares a run in far less. */
const PREPARE_LIMIT_MS = 10_000;
const NOTICE_MS = 2_000;
/** Measured: a started worker is known after 0.1 s; the rest is for a loaded machine. */
const WORKER_LIMIT_MS = 5_000;
const POLL_MS = 100;

/**
 * Starts a run and says its id, once a worker has taken the start for good or none has within 10 s: that is said,
 * and the run waits. With `wait` the command ends when the run has ended. A start that the worker refuses throws
 * the refusal, and no id is said: nothing ran.
 */
export async function startRun(
  asked: StartRequest,
  { id, wait = false, queue = false, json = false }: RunOptions,
  context: CommandContext,
): Promise<Exit> {
  const { terminal } = context;
  const request = asked.prompt === '-' ? { ...asked, prompt: await promptFrom(terminal) } : asked;
  if (request.prompt.trim() === '') throw new HoldfastError('invalid_start', 'The prompt is empty.');
  if (id === '') throw new HoldfastError('invalid_start', '--id must not be empty.');
  return withClient(async (client) => {
    if (!queue) await expectWorker(client, request.agent);
    const runId = await start(client, request, id ?? `run-${randomUUID()}`);
    const taken = queue || (await isTaken(client, runId, terminal.complain));
    terminal.print(json ? jsonLine({ runId }) : runId);
    if (!taken) {
      const how = wait ? '' : ` Or end it: holdfast cancel ${shellWord(runId)}.`;
      terminal.complain(`no_worker: No worker has taken the run; it waits until one does. Start one.${how}`);
    }
    if (wait) return followRun(client, runId, context, { json });
    return taken ? 'ok' : 'environment';
  });
}

async function promptFrom(terminal: Terminal): Promise<string> {
  const text = await terminal.readInput(LIMITS.promptBytes);
  if (text !== undefined) return text;
  const most = `${String(LIMITS.promptBytes / 1024)} KiB`;
  throw new HoldfastError('invalid_start', `Standard input must be UTF-8 and at most ${most}.`);
}

/** A mistyped name would wait for ever. A worker that has just started is not known to the server at once. */
async function expectWorker(client: HoldfastClient, agent: string): Promise<void> {
  const { workflowService, options } = client.temporal;
  const taskQueue = { name: taskQueueOf(agent) };
  for (const deadline = Date.now() + WORKER_LIMIT_MS; ; await delay(POLL_MS)) {
    const { pollers } = await workflowService.describeTaskQueue({ namespace: options.namespace, taskQueue });
    if (pollers.length > 0) return;
    if (Date.now() > deadline) break;
  }
  throw new HoldfastError(
    'no_worker',
    `No worker holds an agent ${agent}, so nothing was started. Start one, or add --queue to have the run wait.`,
  );
}

async function start(client: HoldfastClient, request: StartRequest, id: string): Promise<string> {
  try {
    return await client.start(request, id);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const text = 'A run of this id exists on this server, or did. Choose another --id.';
    throw new HoldfastError('invalid_start', text, { cause: error });
  }
}

/** Whether a worker has begun with the run. Throws the refusal when it took the start for a wrong one. */
async function isTaken(
  client: HoldfastClient,
  runId: string,
  complain: Terminal['complain'],
): Promise<boolean> {
  const fold = new TimelineFold();
  const signal = AbortSignal.timeout(PREPARE_LIMIT_MS);
  let taken = false;
  const notice = setTimeout(
    () =>
      complain(
        taken ? 'Waiting for the worker to prepare the run.' : 'Waiting for a worker to take the run.',
      ),
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
  const code = end.type?.replace(/^holdfast\./, '') ?? '';
  throw new HoldfastError(isErrorCode(code) ? code : 'internal_error', end.message);
}
