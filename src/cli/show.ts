import { Command } from 'commander';
import type { Timeline } from '../audit/timeline.js';
import type { HoldfastClient } from '../client.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { RunStatus } from '../contract/run.js';
import { withNumber, withNumbers } from '../runs/call-number.js';
import { columns } from './columns.js';
import type { CommandOf } from './command-line.js';
import { extendHint } from './extend-hint.js';
import { runName } from './name-option.js';
import { jsonLine } from './print-json.js';
import { timelineLines } from './print-timeline.js';
import { printable, printableLine } from './printable.js';
import { requestRows } from './request-rows.js';
import { shellWord } from './shell-word.js';
import type { Terminal } from './terminal.js';

/** `holdfast show RUN`: what a run did so far, and what waits in it. */
export const showCommand: CommandOf = ({ terminal }, ended) =>
  new Command('show')
    .description('Show what a run did so far, from its history, and what waits for a person.')
    .argument('<run>', 'the id of the run', runName)
    .option('--json', 'the whole record as JSON, arguments and outputs included')
    .action(async (runId: string, { json = false }: { json?: boolean }) => {
      const [{ withClient }, { recordOf }] = await Promise.all([
        import('./open-client.js'),
        import('../runs/run-record.js'),
      ]);
      await withClient(async (client) => {
        const timeline = await recordOf(client, runId);
        const status = timeline.end ? undefined : await stateOf(client, runId, terminal.complain);
        const { pending = [], grants = [] } = status ?? {};
        if (json) {
          const open = timeline.end
            ? {}
            : { pending: status?.pending.map(withNumber) ?? null, grants: status?.grants ?? null };
          return terminal.print(jsonLine({ runId, ...withNumbers(timeline), ...open }));
        }
        const lines = [
          ...head(runId, timeline),
          ...timelineLines(timeline, terminal, [], status && { budget: status.budget, turns: status.turn }),
          ...halted(runId, status, terminal),
          ...waiting(runId, pending, terminal),
          ...columns(grants.map(({ tool, approver }) => ['Grant', tool, `by ${printable(approver)}`])),
        ];
        for (const line of lines) terminal.print(line);
      });
      ended('ok');
    });

/** The history alone is worth showing, so that a missing worker is only said. */
async function stateOf(
  client: HoldfastClient,
  runId: string,
  complain: (line: string) => void,
): Promise<RunStatus | undefined> {
  const { statusOf } = await import('../runs/ask-run.js');
  try {
    return await statusOf(client, runId, { say: complain });
  } catch (error) {
    if (!(error instanceof HoldfastError && error.code === 'no_worker')) throw error;
    complain(`${error.code}: What waits for a person is not known. ${error.message}`);
    return undefined;
  }
}

function head(runId: string, { request, end }: Timeline): readonly string[] {
  const words = end?.status === 'completed' ? end.result?.text : undefined;
  return [
    ...columns([
      ['Run', printable(runId)],
      ...(request
        ? [
            ['Agent', printable(request.agent)],
            ['Asked', printableLine(request.prompt, 200)],
          ]
        : []),
    ]),
    '',
    ...(words ? [printable(words), ''] : []),
  ];
}

/** Why a run that is open does not go on, and what to do. */
function halted(runId: string, status: RunStatus | undefined, { colors }: Terminal): readonly string[] {
  if (status?.phase === 'exhausted' && status.exhausted !== undefined) {
    return [
      '',
      `${colors.bold('Waiting for budget')}: ${status.exhausted} is used up.`,
      colors.dim(`  ${extendHint(runId, status.exhausted)}`),
    ];
  }
  if (status?.pausedBy === undefined) return [];
  return [
    '',
    `${colors.bold('Paused')} by ${printableLine(status.pausedBy, 64)}.`,
    colors.dim(`  holdfast resume ${shellWord(runId)}`),
  ];
}

function waiting(runId: string, pending: RunStatus['pending'], terminal: Terminal): readonly string[] {
  if (pending.length === 0) return [];
  return [
    '',
    terminal.colors.bold('Waiting for a person'),
    ...columns(requestRows(pending, Date.now()), '  ', terminal.width),
    terminal.colors.dim(`  In full: holdfast approvals ${shellWord(runId)}`),
  ];
}
