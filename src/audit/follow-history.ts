import { isGrpcCancelledError, isGrpcDeadlineError, type Client } from '@temporalio/client';
import type { HistoryEvent } from '../../audit/history-event.js';

/** The server answers a long poll after at most 20 s. */
const POLL_LIMIT_MS = 60_000;

/**
 * The events of a run from its beginning, as they are recorded, over all its continuations, until it ends
 * (`events:stream`). Ends early, without an error, when the signal aborts. Rejects with the SDK's error when the
 * server cannot be reached, after the SDK's own retries.
 *
 * @param until `now` ends with what is recorded already.
 */
export async function* followHistory(
  client: Client,
  workflowId: string,
  signal: AbortSignal,
  until: 'end' | 'now' = 'end',
): AsyncGenerator<HistoryEvent, void> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  let runId = raw.workflowExecutionInfo?.firstRunId ?? '';
  let nextPageToken: Uint8Array | undefined;
  while (!signal.aborted) {
    const page = await poll(
      client,
      { workflowId, runId },
      { waitNewEvent: until === 'end', nextPageToken },
      signal,
    );
    if (!page) continue;
    yield* page.events;
    nextPageToken = page.next;
    if (nextPageToken) continue;
    const successor = page.events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    if (!successor) return;
    runId = successor;
  }
}

async function poll(
  { connection, options: { namespace } }: Client,
  execution: { readonly workflowId: string; readonly runId: string },
  { waitNewEvent, nextPageToken }: { waitNewEvent: boolean; nextPageToken: Uint8Array | undefined },
  signal: AbortSignal,
): Promise<{ readonly events: readonly HistoryEvent[]; readonly next: Uint8Array | undefined } | undefined> {
  // The connection never takes its listener off a signal, so each poll gets a signal of its own.
  const over = new AbortController();
  const abort = (): void => over.abort();
  signal.addEventListener('abort', abort);
  try {
    const { history, nextPageToken: next } = await connection.withAbortSignal(over.signal, () =>
      connection.withDeadline(Date.now() + POLL_LIMIT_MS, () =>
        connection.workflowService.getWorkflowExecutionHistory({
          namespace,
          execution,
          waitNewEvent,
          ...(nextPageToken && { nextPageToken }),
        }),
      ),
    );
    return { events: history?.events ?? [], next: next.length > 0 ? next : undefined };
  } catch (error) {
    if (isGrpcDeadlineError(error) || (signal.aborted && isGrpcCancelledError(error))) return undefined;
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
