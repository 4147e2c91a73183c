import {
  isAccepted,
  refusalOf,
  type CallRecord,
  type DecisionRecord,
  type RunEnd,
  type Timeline,
} from '../audit/timeline.js';
import { columns, type Cell } from './columns.js';
import { duration } from './duration.js';
import { printableLine } from './printable.js';
import type { Colors, Terminal } from './terminal.js';
import { wrap } from './wrap.js';

type Rows = readonly (readonly string[])[];

/**
 * A run's timeline as lines: one row for each call, then the end, the budget and the model's use.
 *
 * @param more rows to stand below, in the same columns.
 */
export function timelineLines(
  timeline: Timeline,
  { colors, width }: Pick<Terminal, 'colors' | 'width'>,
  more: Rows = [],
): readonly string[] {
  const rows = timeline.turns.flatMap((turn) => turn.calls.map((call) => callRow(call, colors)));
  return [
    colors.bold('Timeline'),
    ...columns(
      rows.length > 0 ? [HEAD.map((text) => ({ text, paint: colors.dim })), ...rows] : [],
      '  ',
      width,
    ),
    ...timeline.decisions.flatMap((decision) => refusedLine(decision)),
    '',
    ...columns(wrapped([...summary(timeline), ...more], width)),
  ];
}

/** Rows of a label and a text, the text on as many lines as it needs. A word that is too long stays whole. */
function wrapped(rows: Rows, width: number): Rows {
  const label = Math.max(0, ...rows.map(([name = '']) => name.length));
  return rows.flatMap(([name = '', text = '']) =>
    wrap(text, width - label - 2).map((line, index) => [index === 0 ? name : '', line]),
  );
}

const HEAD = ['call', 'tool', 'path', 'arguments', 'guard', 'decision', 'outcome', 'ran for'];

function callRow(call: CallRecord, colors: Colors): readonly Cell[] {
  const { key, proposed, validation, guard } = call;
  const paths = guard?.value.allowed ? guard.value.paths.map((path) => path.relative).join(', ') : '';
  return [
    `${String(key.turn + 1)}.${String(key.index + 1)}`,
    printableLine(proposed.tool, 24),
    printableLine(paths || '–', 32),
    verdictWord(validation?.value.valid, 'valid', 'invalid'),
    verdictWord(guard?.value.allowed, paths ? 'inside' : 'no paths', 'refused'),
    decisionOn(call),
    outcomeCell(call, colors),
    durationOf(call),
  ];
}

function verdictWord(verdict: boolean | undefined, yes: string, no: string): string {
  return verdict === undefined ? '–' : verdict ? yes : no;
}

/** Why it ran, or who said that it must not. */
function decisionOn({ execution, decisions }: CallRecord): string {
  const authorization = execution?.authorization;
  if (authorization?.kind === 'free') return `free (${authorization.riskLevel})`;
  if (authorization?.kind === 'grant') return `grant by ${printableLine(authorization.approver, 32)}`;
  const counted = decisions.find(isAccepted);
  return counted ? decisionWords(counted) : '–';
}

const WORDS = { approve: 'approved', edit: 'edited', deny: 'denied' } as const;

/** Such as `edited by ann (update)`. Approver names are claims, not proofs. */
export function decisionWords({ decision, via }: DecisionRecord): string {
  if (!decision) return `a decision (${via})`;
  return `${WORDS[decision.decision]} by ${printableLine(decision.approver, 32)} (${via})`;
}

/** Such as `ok`, `error path_refused` or `ok (3000000 bytes kept as 5f2c…)`, painted by how it ended. */
export function outcomeCell(call: CallRecord, colors: Colors): Exclude<Cell, string> {
  const { outcome } = call;
  const text = outcome ? [outcome.status, outcome.code, keptWords(call)].filter(Boolean).join(' ') : 'open';
  const paint = { ok: colors.green, error: colors.red, denied: colors.yellow, expired: colors.yellow };
  return { text, paint: outcome && outcome.status !== 'cancelled' ? paint[outcome.status] : colors.dim };
}

/** Where the whole of an output is that the model saw in part (`outcome:size`). */
function keptWords({ execution }: CallRecord): string | undefined {
  const end = execution?.end;
  const whole = end && 'whole' in end ? end.whole : undefined;
  return whole && `(${String(whole.bytes)} bytes kept as ${printableLine(whole.digest, 64)})`;
}

/** Of the execution alone, from its scheduling to its end. */
export function durationOf({ execution }: CallRecord): string {
  return execution?.ended ? duration(execution.ended.at - execution.scheduled.at) : '–';
}

function refusedLine(record: DecisionRecord): readonly string[] {
  const refusal = refusalOf(record);
  if (!refusal) return [];
  const who = record.decision ? ` of ${printableLine(record.decision.approver, 32)}` : '';
  return [`  A decision${who} (${record.via}) was refused: ${refusal.code}.`];
}

function summary(timeline: Timeline): Rows {
  const { end, turns, manifest } = timeline;
  const calls = turns.flatMap((turn) => turn.calls);
  const rows = [['Run', howItEnded(timeline)]];
  const result = end && 'result' in end ? end.result : undefined;
  const most = manifest?.budgets;
  if (result && most) {
    const { errors, consecutiveErrors, consecutiveDenials } = result.budget;
    const parts = [
      `errors ${String(errors)} of ${String(most.maxErrors)}`,
      `in a row ${String(consecutiveErrors)} of ${String(most.maxConsecutiveErrors)}`,
      `denials in a row ${String(consecutiveDenials)} of ${String(most.maxConsecutiveDenials)}`,
      `turns ${String(result.turns)} of ${String(most.maxTurns)}`,
    ];
    rows.push(['Budget', parts.join(', ')]);
  }
  const used = ['inputTokens', 'outputTokens'] as const;
  const [input, output] = used.map((kind) => turns.reduce((sum, turn) => sum + (turn.usage[kind] ?? 0), 0));
  const tokens = input || output ? `, ${String(input)} tokens in, ${String(output)} out` : '';
  rows.push(['Model', `${count(turns.length, 'call')}${tokens}; ${count(calls.length, 'tool call')}`]);
  if (timeline.unreadable.length > 0) {
    rows.push(['Unread', `events ${timeline.unreadable.map((place) => String(place.eventId)).join(', ')}`]);
  }
  return rows;
}

/** Such as `done after 2.3 s`, or `open`. */
function howItEnded({ started, end }: Timeline): string {
  return `${endWords(end)}${started && end ? ` after ${duration(end.at - started.at)}` : ''}`;
}

function endWords(end: RunEnd | undefined): string {
  switch (end?.status) {
    case undefined:
      return 'open';
    case 'completed':
      return end.result?.exhausted ? `ended, budget ${end.result.exhausted} used up` : 'done';
    case 'failed':
      return `failed, ${end.type?.replace(/^holdfast\./, '') ?? 'internal_error'}: ${printableLine(end.message, 200)}`;
    case 'cancelled':
    case 'terminated':
      return end.status;
    case 'timed_out':
      return 'timed out';
  }
}

function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? '' : 's'}`;
}
