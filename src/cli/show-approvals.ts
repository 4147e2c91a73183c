import type { ApprovalRequest } from '../contract/decision.js';
import { listWaiting, type WaitingRun } from '../inbox/list-waiting.js';
import type { ApprovalsOptions } from './approvals.js';
import { statusOf } from '../runs/ask-run.js';
import { callNumber, withNumber } from '../runs/call-number.js';
import { columns } from './columns.js';
import { requestLines } from './dev/show-request.js';
import type { Exit } from './exit-codes.js';
import { checkRun } from '../runs/find-run.js';
import { withClient } from './open-client.js';
import { jsonLine } from './print-json.js';
import { printable } from './printable.js';
import { summaryRows } from './request-rows.js';
import { shellWord } from './shell-word.js';
import type { Terminal } from './terminal.js';

/** Shows what waits: of one run in full, as its worker tells; of all open runs in short, as the server keeps it. */
export async function showApprovals(
  runId: string | undefined,
  options: ApprovalsOptions,
  terminal: Terminal,
): Promise<Exit> {
  if (runId !== undefined) {
    const requests = await withClient(async (client) => {
      await checkRun(client, runId);
      return (await statusOf(client, runId, { say: terminal.complain })).pending;
    });
    if (options.json) terminal.print(jsonLine({ requests: requests.map(withNumber) }));
    else for (const line of inFull(runId, requests, terminal)) terminal.print(line);
    return 'ok';
  }
  const { agent, tool, risk: riskLevel, limit, page } = options;
  const found = await withClient((client) => listWaiting(client, { agent, tool, riskLevel, limit, page }));
  if (options.json) {
    const runs = found.runs.map((run) => ({ ...run, requests: run.requests.map(withNumber) }));
    terminal.print(jsonLine({ ...found, runs }));
    return 'ok';
  }
  for (const line of inShort(found.runs)) terminal.print(line);
  if (found.nextPage !== undefined) terminal.print(`\nMore: --page ${found.nextPage}`);
  return 'ok';
}

function inShort(runs: readonly WaitingRun[]): readonly string[] {
  if (runs.length === 0) return ['Nothing waits for a person.'];
  const rows = runs.flatMap(({ runId, requests, count }) => {
    const name = printable(runId);
    const more = count - requests.length;
    const rest = more > 0 ? [[name, '…', `and ${String(more)} more`]] : [];
    return [...summaryRows(requests, Date.now()).map((row) => [name, ...row]), ...rest];
  });
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
