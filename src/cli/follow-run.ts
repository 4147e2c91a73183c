import type { HoldfastClient } from '../client.js';
import type { RunEvent } from '../contract/events.js';
import type { CommandContext } from './command-line.js';
import { numbered } from '../runs/call-number.js';
import { duration } from './duration.js';
import { endWords, eventLine } from './event-lines.js';
import { extendHint } from './extend-hint.js';
import type { Exit } from './exit-codes.js';
import { followedEvents } from './followed-events.js';
import { jsonLine } from './print-json.js';
import { printable } from './printable.js';
import { noticeRetries } from './retry-notices.js';
import { shellWord } from './shell-word.js';

export interface FollowRunOptions {
  readonly json: boolean;
  /** The number of the first event to show. Default 1. */
  readonly from?: number | undefined;
}

/**
 * Shows the events of a run to its end and says how it ended. An interrupt stops the showing alone. With `json`,
 * one line for each event. Paths and reasons are for a person at a terminal: what is written elsewhere is a log
 * (`events:no-args`).
 */
export async function followRun(
  client: HoldfastClient,
  runId: string,
  { terminal, interrupts, reconnectMs }: CommandContext,
  { json, from = 1 }: FollowRunOptions,
): Promise<Exit> {
  const { print, complain, colors, interactive } = terminal;
  interrupts.hold();
  const { signal } = interrupts;
  const over = new AbortController();
  let told = false;
  let startedAt: number | undefined;
  let end: Extract<RunEvent, { type: 'run_end' }> | undefined;
  const onLost = (): void => complain('The Temporal server does not answer; trying again for a minute.');
  const noticing = noticeRetries(client, runId, complain, AbortSignal.any([signal, over.signal]));
  try {
    for await (const { event, call } of followedEvents(client, runId, {
      from,
      signal,
      onLost,
      ...(reconnectMs !== undefined && { reconnectMs }),
    })) {
      if (event.type === 'run_start') startedAt = event.at;
      if (event.type === 'run_end') end = event;
      if (json) {
        print(jsonLine({ runId, ...numbered(event) }));
        continue;
      }
      const line = eventLine(event, colors, interactive ? call : undefined);
      if (line !== undefined) print(line);
      if (event.type === 'budget_exhausted' && event.onExhausted === 'pause') {
        print(colors.dim(`    More of it: ${extendHint(runId, event.budget)}`));
      }
      if (event.type !== 'approval_requested' || told) continue;
      told = true;
      print(colors.dim(`    What waits for a person: holdfast approvals ${shellWord(runId)}`));
    }
  } finally {
    over.abort();
    await noticing;
  }
  if (signal.aborted) {
    complain('Stopped following; the run goes on.');
    return 'cancelled';
  }
  if (!end) return 'not_done';
  if (!json) {
    const words =
      end.status === 'done' || end.status === 'budget_exhausted' ? await lastWords(client, runId) : '';
    if (words) print(`\n${printable(words)}`);
    const after = startedAt === undefined ? '' : ` after ${duration(end.at - startedAt)}`;
    print(`\nRun ${endWords(end, after)}`);
  }
  if (end.status === 'cancelled') return 'cancelled';
  return end.status === 'done' ? 'ok' : 'not_done';
}

/** The result of the run: what was asked for, and no event. */
async function lastWords(client: HoldfastClient, runId: string): Promise<string> {
  return (await client.result(runId)).text;
}
