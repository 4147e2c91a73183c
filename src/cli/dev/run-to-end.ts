import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { Timeline } from '../../audit/timeline.js';
import type { HoldfastClient } from '../../client.js';
import type { ApprovalRequest } from '../../contract/decision.js';
import type { TemporalAccess } from '../../dev/connect-temporal.js';
import type { CommandContext } from '../command-line.js';
import type { Exit } from '../exit-codes.js';
import { exitOfRun } from '../exit-of-run.js';
import { numbered } from '../../runs/call-number.js';
import { jsonLine } from '../print-json.js';
import { printable } from '../printable.js';
import { noticeRetries } from '../retry-notices.js';
import { timelineLines } from '../print-timeline.js';
import { userName } from '../user-name.js';
import { askPerson } from './ask-person.js';
import { closingRows, HISTORY_FILE } from './closing-rows.js';
import type { DevJob } from './job.js';
import { spawnApprover } from './spawn-approver.js';
import { progressOn, watchRun } from './watch-run.js';

export interface DevRun {
  readonly job: DevJob;
  readonly access: TemporalAccess;
  /** The server was not started for this run, and goes on after it. */
  readonly serverStays: boolean;
  readonly client: HoldfastClient;
  readonly context: CommandContext;
  /** Receives each event as a line of JSON. */
  readonly emit?: (line: string) => void;
}

/**
 * Starts the run, shows it, has its requests decided and prints its record. Whatever ends this early cancels the
 * run.
 *
 * @param broken aborts when the worker has failed for good.
 */
export async function runToEnd(run: DevRun, broken: AbortSignal): Promise<Exit> {
  const { job, client, context } = run;
  const { terminal, interrupts } = context;
  const { runId } = job;
  await client.start({ agent: job.agent.name, prompt: job.prompt }, runId);
  const cancel = async (why?: string): Promise<void> => {
    if (why !== undefined) terminal.complain(why);
    // It may have ended meanwhile.
    await client.cancel(runId).catch(() => undefined);
  };
  interrupts.signal.addEventListener('abort', () => void cancel());
  if (interrupts.signal.aborted) await cancel();
  try {
    const decider = secondProcess(run, cancel);
    const onRequest = (request: ApprovalRequest): Promise<void> => decideHere(request, run, cancel);
    const over = new AbortController();
    const noticing = noticeRetries(client, runId, terminal.print, AbortSignal.any([broken, over.signal]));
    const watching = watchRun({
      client,
      runId,
      show: progressOn(terminal),
      onRequest,
      signal: broken,
    }).finally(() => over.abort());
    const [timeline] = await Promise.all([watching, emitEvents(run, broken), noticing]);
    if (broken.aborted) return 'failed';
    const decided = await decider;
    await record(timeline, run);
    return decided ? exitOfRun(timeline.end) : 'failed';
  } catch (error) {
    await cancel();
    throw error;
  }
}

async function emitEvents({ job, client, emit }: DevRun, signal: AbortSignal): Promise<void> {
  if (!emit) return;
  const { runId } = job;
  for await (const event of client.follow(runId, { signal })) emit(jsonLine({ runId, ...numbered(event) }));
}

type Cancel = (why?: string) => Promise<void>;

/** False when a second process was to decide and failed. */
async function secondProcess({ job, access }: DevRun, cancel: Cancel): Promise<boolean> {
  if (job.decidedBy === 'person') return true;
  const well = await spawnApprover(job.runId, access, job.isExample);
  if (!well) await cancel('The second process failed, so the run is cancelled.');
  return well;
}

async function decideHere(
  request: ApprovalRequest,
  { job, client, context }: DevRun,
  cancel: Cancel,
): Promise<void> {
  if (job.decidedBy !== 'person') return;
  const { terminal, settings, interrupts } = context;
  try {
    const decided = await askPerson(request, {
      terminal,
      approver: userName(),
      editor: settings.editor,
      decide: (decision) => client.decide(job.runId, decision),
      signal: interrupts.signal,
    });
    if (!decided) await cancel('The input ended, so the run is cancelled.');
  } catch (error) {
    if (!interrupts.signal.aborted) throw error;
  }
}

async function record(timeline: Timeline, { job, serverStays, client, context }: DevRun): Promise<void> {
  const { terminal } = context;
  const history = await client.temporal.workflow.getHandle(job.runId).fetchHistory();
  await writeFile(join(job.runDir, HISTORY_FILE), historyToJSON(history), { mode: 0o600 });
  const words = timeline.end?.status === 'completed' ? timeline.end.result?.text : undefined;
  const lines = timelineLines(timeline, terminal, closingRows(job, serverStays));
  for (const line of ['', ...(words ? [printable(words), ''] : []), ...lines, '']) terminal.print(line);
}
