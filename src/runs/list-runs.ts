import { isBudgetName } from '../audit/recognise.js';
import type { HoldfastClient } from '../client.js';
import { HoldfastError } from '../contract/error-codes.js';
import { EXHAUSTED_MEMO, taskQueueOf, WORKFLOW_TYPE } from '../contract/names.js';
import type { BudgetName } from '../contract/run.js';
import { listPage, memoOf, namesOf, type Execution, type Page, type PageWish } from './list-page.js';

/** By the names that Temporal's visibility has for them. */
export const RUN_STATUSES = {
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Canceled',
  terminated: 'Terminated',
  timed_out: 'TimedOut',
} as const;
export type RunStatusName = keyof typeof RUN_STATUSES;

/** By number, as the server sends them. */
const BY_NUMBER: Readonly<Record<number, RunStatusName>> = {
  1: 'running',
  2: 'completed',
  3: 'failed',
  4: 'cancelled',
  5: 'terminated',
  7: 'timed_out',
};

/** gRPC's status code, by number. */
const INVALID_ARGUMENT = 3;

export interface ListedRun {
  readonly runId: string;
  readonly agent: string;
  readonly status: RunStatusName | 'unknown';
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt?: string;
  /** The budget that is used up: why the run ended, or what it waits for. */
  readonly exhausted?: BudgetName;
}

export interface ListOptions extends PageWish {
  readonly agent?: string | undefined;
  readonly status?: RunStatusName | undefined;
  /** A visibility query besides. */
  readonly query?: string | undefined;
}

/** A page of the runs, in the server's order. Throws HoldfastError `invalid_config` for a query that it refuses. */
export function listRuns(client: HoldfastClient, options: ListOptions): Promise<Page<ListedRun>> {
  return listPage(client, queryOf(options), options, readRun, (status, cause) => {
    if (options.query === undefined || status !== INVALID_ARGUMENT) return undefined;
    const text = "--query is not understood; write one such as StartTime > '2026-01-01T00:00:00Z'.";
    return new HoldfastError('invalid_config', text, { cause });
  });
}

function readRun(execution: Execution): ListedRun {
  const { status, startTime, closeTime } = execution;
  // Absent for what a later version wrote.
  const exhausted = memoOf(execution, EXHAUSTED_MEMO);
  return {
    ...namesOf(execution),
    status: BY_NUMBER[status ?? 0] ?? 'unknown',
    startedAt: isoTime(startTime) ?? '',
    ...(closeTime && { endedAt: isoTime(closeTime) ?? '' }),
    ...(isBudgetName(exhausted) && { exhausted }),
  };
}

/** Of a run that continued as new only the execution at hand counts. */
function queryOf({ agent, status, query }: ListOptions): string {
  return [
    `WorkflowType = '${WORKFLOW_TYPE}'`,
    `ExecutionStatus != 'ContinuedAsNew'`,
    ...(agent === undefined ? [] : [`TaskQueue = '${taskQueueOf(agent)}'`]),
    ...(status === undefined ? [] : [`ExecutionStatus = '${RUN_STATUSES[status]}'`]),
    ...(query === undefined ? [] : [`(${query})`]),
  ].join(' AND ');
}

function isoTime(
  time: { seconds?: { toString(): string } | number | null; nanos?: number | null } | null | undefined,
): string | undefined {
  return time ? new Date(Number(time.seconds) * 1000 + (time.nanos ?? 0) / 1e6).toISOString() : undefined;
}
