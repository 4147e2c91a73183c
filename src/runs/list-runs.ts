import { isGrpcServiceError } from '@temporalio/client';
import { isBudgetName } from '../audit/recognise.js';
import type { HoldfastClient } from '../client.js';
import { HoldfastError } from '../contract/error-codes.js';
import { EXHAUSTED_MEMO, taskQueueOf, WORKFLOW_TYPE } from '../contract/names.js';
import { payloadConverter } from '../contract/payload-converter.js';
import type { BudgetName } from '../contract/run.js';

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

export interface ListOptions {
  readonly agent?: string | undefined;
  readonly status?: RunStatusName | undefined;
  /** A visibility query besides. */
  readonly query?: string | undefined;
  readonly limit: number;
  /** Of the page before. */
  readonly page?: string | undefined;
}

export interface RunPage {
  readonly runs: readonly ListedRun[];
  readonly nextPage?: string;
}

/** A page of the runs, in the server's order. Throws HoldfastError `invalid_config` for a query that it refuses. */
export async function listRuns(client: HoldfastClient, options: ListOptions): Promise<RunPage> {
  const { workflowService, options: own } = client.temporal;
  const nextPageToken = Buffer.from(options.page ?? '', 'base64url');
  const query = queryOf(options);
  const request = { namespace: own.namespace, pageSize: options.limit, query, nextPageToken };
  const page = await workflowService.listWorkflowExecutions(request).catch((error: unknown) => {
    throw refused(error, options);
  });
  const runs = page.executions.map((run): ListedRun => {
    const exhausted = exhaustedIn(run.memo?.fields);
    return {
      runId: run.execution?.workflowId ?? '',
      agent: (run.taskQueue ?? '').slice(taskQueueOf('').length),
      status: BY_NUMBER[run.status ?? 0] ?? 'unknown',
      startedAt: isoTime(run.startTime) ?? '',
      ...(run.closeTime && { endedAt: isoTime(run.closeTime) ?? '' }),
      ...(exhausted && { exhausted }),
    };
  });
  const token = Buffer.from(page.nextPageToken).toString('base64url');
  return { runs, ...(token !== '' && { nextPage: token }) };
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

function refused(error: unknown, { query, page }: ListOptions): unknown {
  const code: number = isGrpcServiceError(error) ? error.code : -1;
  if (query !== undefined && code === 3) {
    const text = "--query is not understood; write one such as StartTime > '2026-01-01T00:00:00Z'.";
    return new HoldfastError('invalid_config', text, { cause: error });
  }
  if (page !== undefined && (code === 2 || code === 3)) {
    const text = 'This page is none that the server gave. Leave it out to begin anew.';
    return new HoldfastError('invalid_config', text, { cause: error });
  }
  return error;
}

/** As the run keeps it in its memo; absent for what a later version wrote. */
function exhaustedIn(
  memo: Readonly<Record<string, Parameters<typeof payloadConverter.fromPayload>[0]>> | null | undefined,
): BudgetName | undefined {
  const payload = memo?.[EXHAUSTED_MEMO];
  const value: unknown = payload && payloadConverter.fromPayload(payload);
  return isBudgetName(value) ? value : undefined;
}

function isoTime(
  time: { seconds?: { toString(): string } | number | null; nanos?: number | null } | null | undefined,
): string | undefined {
  return time ? new Date(Number(time.seconds) * 1000 + (time.nanos ?? 0) / 1e6).toISOString() : undefined;
}
