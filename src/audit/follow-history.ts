import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcCancelledError, isGrpcServiceError, type Client } from '@temporalio/client';
import type { FollowOptions } from '../contract/events.js';
import type { HistoryEvent } from './history-event.js';

/** The server answers a long poll after at most 20 s: one that takes longer is lost. */
const POLL_LIMIT_MS = 60_000;
const RECONNECT_MS = 60_000;
/** Between tries; the SDK tries for some seconds by itself. */
const PAUSE_MS = 250;

export type HistoryOptions = Omit<FollowOptions, 'from'> & {
  /** `now` ends with what is recorded already. Default `end`: with the run. */
  readonly until?: 'end' | 'now';
};

interface Page {
  readonly events: readonly HistoryEvent[];
  readonly next: Uint8Array | undefined;
}

/**
 * The events of a run from its beginning, as they are recorded, over all its continuations, until it ends
 * (`events:stream`). Ends early, without an error, when the signal aborts. A connection that is lost is tried
 * again, and no event is left out or given twice for that; rejects with the SDK's error when the server stays away.
 */
export async function* followHistory(
  client: Client,
  workflowId: string,
  options: HistoryOptions = {},
): AsyncGenerator<HistoryEvent, void> {
  const never = new AbortController().signal;
  const { signal = never, until = 'end' } = options;
  const ask = patiently(signal, options);
  const chain = (await ask(() => chainOf(client, workflowId))) ?? [];
  for (const runId of chain) {
    const successor = yield* followExecution(client, { workflowId, runId }, { ask, signal, until });
    // Iterated on, as every array that grows meanwhile.
    if (successor && runId === chain.at(-1)) chain.push(successor);
  }
}

/** One execution to its end; gives its successor, if it continued as new. */
async function* followExecution(
  client: Client,
  execution: { readonly workflowId: string; readonly runId: string },
  { ask, signal, until }: Required<Pick<HistoryOptions, 'signal' | 'until'>> & { readonly ask: Ask },
): AsyncGenerator<HistoryEvent, string | undefined> {
  let token: Uint8Array | undefined;
  let last = 0;
  while (!signal.aborted) {
    const page: Page | undefined = await ask(
      (over) => poll(client, execution, { waitNewEvent: until === 'end', nextPageToken: token }, over),
      // A token is the server's own; after a loss the execution is read anew, and what was given is left out.
      () => (token = undefined),
    );
    if (!page) continue;
    for (const event of page.events) {
      if (Number(event.eventId) <= last) continue;
      last = Number(event.eventId);
      yield event;
    }
    token = page.next;
    if (token) continue;
    const end = page.events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
    return end?.newExecutionRunId ?? undefined;
  }
  return undefined;
}

/**
 * The executions of the run at hand, oldest first. Walked backwards from the newest: after a reset of the workflow
 * the first one's own successors are not those that led here.
 */
async function chainOf(client: Client, workflowId: string): Promise<string[]> {
  const { runId: newest, raw } = await client.workflow.getHandle(workflowId).describe();
  const first = raw.workflowExecutionInfo?.firstRunId;
  const never = new AbortController().signal;
  const chain = [newest];
  for (let runId: string | undefined = newest; runId && runId !== first;) {
    const { events } = await poll(client, { workflowId, runId }, { maximumPageSize: 1 }, never);
    runId = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? undefined;
    if (runId) chain.unshift(runId);
  }
  return chain;
}

interface Reading {
  readonly waitNewEvent?: boolean;
  readonly nextPageToken?: Uint8Array | undefined;
  readonly maximumPageSize?: number;
}

type Ask = <T>(step: (over: AbortSignal) => Promise<T>, lost?: () => void) => Promise<T | undefined>;

/** Asks the server, again after a loss; undefined when the signal aborted. */
function patiently(signal: AbortSignal, { reconnectMs = RECONNECT_MS, onLost }: HistoryOptions): Ask {
  return async (step, lost) => {
    for (let lostAt: number | undefined; !signal.aborted;) {
      // The connection never takes its listener off a signal, so each step gets a signal of its own.
      const over = new AbortController();
      const abort = (): void => over.abort();
      signal.addEventListener('abort', abort);
      try {
        return await step(over.signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        const failure = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
        if (!meansLost(failure)) throw error;
        lost?.();
        if (lostAt === undefined) onLost?.();
        lostAt ??= Date.now();
        if (Date.now() - lostAt >= reconnectMs) throw error;
        await delay(PAUSE_MS, undefined, { signal: over.signal }).catch(() => undefined);
      } finally {
        signal.removeEventListener('abort', abort);
      }
    }
    return undefined;
  };
}

/** By number: unknown, deadline, exhausted, aborted, internal, unavailable, data loss. Nobody here cancels. */
const LOST: readonly number[] = [2, 4, 8, 10, 13, 14, 15];

function meansLost(error: unknown): boolean {
  if (isGrpcCancelledError(error)) return true;
  return isGrpcServiceError(error) && LOST.includes(error.code);
}

async function poll(
  { connection, options: { namespace } }: Client,
  execution: { readonly workflowId: string; readonly runId: string },
  { nextPageToken, ...reading }: Reading,
  over: AbortSignal,
): Promise<Page> {
  const { history, nextPageToken: next } = await connection.withAbortSignal(over, () =>
    connection.withDeadline(Date.now() + POLL_LIMIT_MS, () =>
      connection.workflowService.getWorkflowExecutionHistory({
        namespace,
        execution,
        ...reading,
        ...(nextPageToken && { nextPageToken }),
      }),
    ),
  );
  return { events: history?.events ?? [], next: next.length > 0 ? next : undefined };
}
