import type { HoldfastClient } from '../client.js';
import type { ApprovalRequest } from '../contract/decision.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { ApprovalsOptions } from './approvals.js';
import { statusOf } from './ask-run.js';
import { callNumber, withNumber } from './call-number.js';
import { columns } from './columns.js';
import { requestLines } from './dev/show-request.js';
import type { Exit } from './exit-codes.js';
import { checkRun } from './find-run.js';
import { listRuns } from './list-runs.js';
import { withClient } from './open-client.js';
import { jsonLine } from './print-json.js';
import { printable, printableLine } from './printable.js';
import { requestRows } from './request-rows.js';
import { shellWord } from './shell-word.js';
import type { Terminal } from './terminal.js';

/** The requests that wait in a run, oldest first; undefined when no worker of it answers. */
interface Waiting {
  readonly runId: string;
  readonly requests: readonly ApprovalRequest[] | undefined;
}

/** Runs that are asked at once: each may have to be replayed by its worker first. */
const AT_ONCE = 8;

/** Shows what waits: of one run in full, of all open runs in short. What was not answered for is said. */
export async function showApprovals(
  runId: string | undefined,
  options: ApprovalsOptions,
  terminal: Terminal,
): Promise<Exit> {
  if (runId !== undefined) {
    const requests = await withClient(async (client) => {
      await checkRun(client, runId);
      return (await statusOf(client, runId, terminal.complain)).pending;
    });
    if (options.json) terminal.print(jsonLine({ requests: requests.map(withNumber) }));
    else for (const line of inFull(runId, requests, terminal)) terminal.print(line);
    return 'ok';
  }
  const { asked, more } = await withClient((client) => askAll(client, options, once(terminal.complain)));
  const found = asked.flatMap(({ runId, requests = [] }) => requests.map((request) => ({ runId, request })));
  const unanswered = asked.filter(({ requests }) => !requests).map(({ runId }) => runId);
  if (options.json) {
    const requests = found.map(({ request }) => withNumber(request));
    terminal.print(jsonLine({ requests, unanswered, more }));
  } else for (const line of inShort(asked)) terminal.print(line);
  if (unanswered.length > 0) {
    const runs = named(unanswered);
    terminal.complain(`no_worker: What waits is not known of ${runs}: no worker answers. Start one.`);
  }
  if (more) terminal.complain(`More runs are open; --limit ${String(options.limit * 2)} asks more of them.`);
  return unanswered.length > 0 ? 'environment' : 'ok';
}

/** So many names fit a message; the JSON has them all. */
const MOST_NAMED = 10;

/** Runs by name: `a, b and 3 more`. */
function named(runIds: readonly string[]): string {
  const names = runIds.slice(0, MOST_NAMED).map((runId) => printableLine(runId, 64));
  const others = runIds.length - names.length;
  return names.join(', ') + (others > 0 ? ` and ${String(others)} more` : '');
}

/** Several runs are asked at once, and each would say that it waits. */
function once(say: (line: string) => void): (line: string) => void {
  let said = false;
  return (line) => {
    if (!said) say(line);
    said = true;
  };
}

async function askAll(
  client: HoldfastClient,
  { agent, limit }: ApprovalsOptions,
  say: (line: string) => void,
): Promise<{ readonly asked: readonly Waiting[]; readonly more: boolean }> {
  const { runs, nextPage } = await listRuns(client, { agent, status: 'running', limit });
  const waiting: Waiting[] = [];
  const down = new Set<string>();
  for (let first = 0; first < runs.length; first += AT_ONCE) {
    const some = runs.slice(first, first + AT_ONCE).map(async ({ runId, agent }) => {
      // One silent agent is waited for once, not for each of its runs.
      const requests = down.has(agent) ? undefined : await pendingOf(client, runId, say);
      if (!requests) down.add(agent);
      return { runId, requests };
    });
    waiting.push(...(await Promise.all(some)));
  }
  return { asked: waiting, more: nextPage !== undefined };
}

async function pendingOf(
  client: HoldfastClient,
  runId: string,
  say: (line: string) => void,
): Promise<readonly ApprovalRequest[] | undefined> {
  try {
    return (await statusOf(client, runId, say)).pending;
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'no_worker') return undefined;
    throw error;
  }
}

function inShort(asked: readonly Waiting[]): readonly string[] {
  const rows = asked.flatMap(({ runId, requests = [] }) =>
    requestRows(requests, Date.now()).map((row) => [printable(runId), ...row]),
  );
  if (rows.length === 0) {
    return asked.every(({ requests }) => requests) ? ['Nothing waits for a person.'] : [];
  }
  return [
    ...columns(rows),
    '',
    'In full: holdfast approvals RUN. Decide: holdfast approve RUN CALL, deny, edit.',
  ];
}

function inFull(
  runId: string,
  requests: readonly ApprovalRequest[],
  { colors }: Terminal,
): readonly string[] {
  if (requests.length === 0) return ['Nothing waits for a person in this run.'];
  return requests.flatMap((request) => {
    const words = `${shellWord(runId)} ${callNumber(request.call)}`;
    return [
      ...requestLines(request, colors),
      ...['approve', 'deny', 'edit'].map((verb) => colors.dim(`  holdfast ${verb} ${words}`)),
    ];
  });
}
