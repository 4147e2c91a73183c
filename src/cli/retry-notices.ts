import { setTimeout as delay } from 'node:timers/promises';
import type { HoldfastClient } from '../client.js';
import { duration } from './duration.js';
import { printableLine } from './printable.js';

/** Temporal records an attempt only when the activity ends, so that a failing one is seen by asking alone. */
const EVERY_MS = 1_000;

type Description = Awaited<
  ReturnType<ReturnType<HoldfastClient['temporal']['workflow']['getHandle']>['describe']>
>;
type Pending = NonNullable<Description['raw']['pendingActivities']>[number];

/**
 * Says each time that an attempt of a model call or of a tool has failed and is made again, until the signal
 * aborts. Never rejects: what cannot be asked is not said.
 */
export async function noticeRetries(
  client: HoldfastClient,
  runId: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const told = new Set<string>();
  const handle = client.temporal.workflow.getHandle(runId);
  while (await pause(signal)) {
    const description = await handle.describe().catch(() => undefined);
    if (signal.aborted) return;
    for (const pending of description?.raw.pendingActivities ?? []) {
      const line = retryLine(pending, Date.now());
      const name = `${description?.runId ?? ''} ${pending.activityId ?? ''} ${String(pending.attempt)}`;
      if (line === undefined || told.has(name)) continue;
      told.add(name);
      say(line);
    }
  }
}

function pause(signal: AbortSignal): Promise<boolean> {
  return delay(EVERY_MS, true, { signal, ref: false }).catch(() => false);
}

/**
 * Such as `model call failing, attempt 3 of 4, next in 4 s: ...`; undefined for an activity that has not failed.
 * Of a tool's failure only the kind is said: its text may hold what the tool read (`events:no-args`).
 */
export function retryLine(pending: Pending, now: number): string | undefined {
  const { attempt, maximumAttempts, lastFailure, activityType, scheduledTime } = pending;
  if (!attempt || attempt < 2 || !lastFailure) return undefined;
  const isModel = activityType?.name === 'callModel';
  const most = maximumAttempts ? ` of ${String(maximumAttempts)}` : '';
  const due = Number(scheduledTime?.seconds ?? 0) * 1000 + (scheduledTime?.nanos ?? 0) / 1e6;
  const next = due > now ? `, next in ${duration(Math.round(due - now))}` : ', trying now';
  const code = lastFailure.applicationFailureInfo?.type?.replace(/^holdfast\./, '') ?? 'lost';
  const reason = isModel && lastFailure.message ? lastFailure.message : code;
  const what = isModel ? 'model call' : activityType?.name === 'executeTool' ? 'tool' : 'preparation';
  return `${what} failing, attempt ${String(attempt)}${most}${next}: ${printableLine(reason, 160)}`;
}
