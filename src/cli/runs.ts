import { Command, Option } from 'commander';
import { columns } from './columns.js';
import type { CommandOf } from './command-line.js';
import type { ListedRun, RunStatusName } from '../runs/list-runs.js';
import { agentName } from './name-option.js';
import { wholeNumber } from './number-option.js';
import { jsonLine } from './print-json.js';
import { printable } from './printable.js';
import type { Colors } from './terminal.js';

interface RunsOptions {
  readonly agent?: string;
  readonly status?: RunStatusName;
  readonly query?: string;
  readonly limit: number;
  readonly page?: string;
  readonly json?: boolean;
}

const STATUSES: readonly RunStatusName[] = [
  'running',
  'completed',
  'failed',
  'cancelled',
  'terminated',
  'timed_out',
];

/** `holdfast runs`: a page of the runs that the server keeps. */
export const runsCommand: CommandOf = ({ terminal }, ended) =>
  new Command('runs')
    .description('List runs, open ones first.')
    .option('--agent <name>', 'of this agent alone', agentName)
    .addOption(new Option('--status <status>', 'of this status alone').choices(STATUSES))
    .option('--query <query>', 'and that this visibility query of Temporal finds')
    .option('--limit <number>', 'how many in a page', wholeNumber(1000), 20)
    .option('--page <token>', 'the page after the one that gave this token')
    .option('--json', 'the page as JSON: runs, nextPage')
    .action(async ({ json, ...options }: RunsOptions) => {
      const [{ withClient }, { listRuns }] = await Promise.all([
        import('./open-client.js'),
        import('../runs/list-runs.js'),
      ]);
      const page = await withClient((client) => listRuns(client, options));
      if (json) terminal.print(jsonLine(page));
      else for (const line of runLines(page.runs, terminal.colors)) terminal.print(line);
      if (!json && page.nextPage !== undefined) terminal.print(`\nMore: --page ${page.nextPage}`);
      ended('ok');
    });

function runLines(runs: readonly ListedRun[], colors: Colors): readonly string[] {
  if (runs.length === 0) return ['No runs.'];
  const head = ['run', 'agent', 'status', 'started', 'ended'].map((text) => ({ text, paint: colors.dim }));
  return columns([
    head,
    ...runs.map(({ runId, agent, status, startedAt, endedAt, exhausted }) => [
      printable(runId),
      printable(agent),
      {
        text: exhausted ? `${status}, ${exhausted} used up` : status,
        paint: PAINT[status]?.(colors) ?? plain,
      },
      short(startedAt),
      endedAt === undefined ? '–' : short(endedAt),
    ]),
  ]);
}

const PAINT: Partial<Record<ListedRun['status'], (colors: Colors) => (text: string) => string>> = {
  running: ({ green }) => green,
  failed: ({ red }) => red,
};

function plain(text: string): string {
  return text;
}

/** To the second, UTC. */
function short(iso: string): string {
  return iso.replace(/\.\d+Z$/, 'Z');
}
