import { pathsOf } from '../audit/call-paths.js';
import { countedDecisions } from '../audit/counted-decisions.js';
import {
  refusalOf,
  type AnnouncementRecord,
  type CallRecord,
  type DecisionRecord,
  type Timeline,
} from '../audit/timeline.js';
import { budgetRows, type BudgetUse } from './budget-rows.js';
import { callNumber } from '../runs/call-number.js';
import { causeRows, keptRows, reasonRows } from './call-notes.js';
import { columns, type Cell } from './columns.js';
import { duration } from './duration.js';
import { printableLine } from './printable.js';
import type { Colors, Terminal } from './terminal.js';
import { wrap } from './wrap.js';

type Rows = readonly (readonly string[])[];

/**
 * A run's timeline as lines: one row for each call, what they failed with, then the end, the budget and the
 * model's use.
 *
 * @param more rows to stand below, in the same columns.
 * @param use of the budgets of a run that has not ended, as its status tells.
 */
export function timelineLines(
  timeline: Timeline,
  { colors, width }: Pick<Terminal, 'colors' | 'width'>,
  more: Rows = [],
  use?: BudgetUse,
): readonly string[] {
  const calls = timeline.turns.flatMap((turn) => turn.calls);
  const rows = [
    HEAD.map((text) => ({ text, paint: colors.dim })),
    ...calls.map((call) => callRow(call, colors)),
  ];
  const told = [
    ...(calls.length > 0 ? columns(rows, '  ', width) : []),
    ...columns(wrapped(calls.flatMap(causeRows), width - 2), '  '),
    ...columns(wrapped(calls.flatMap(reasonRows), width - 2), '  '),
    ...columns(wrapped(calls.flatMap(keptRows), width - 2), '  '),
    ...timeline.decisions.flatMap((decision) => refusedLine(decision)),
    ...timeline.announcements.flatMap((announcement) => unannouncedLine(announcement)),
  ];
  return [
    ...(told.length > 0 ? [colors.bold('Timeline'), ...told, ''] : []),
    ...columns(wrapped([...summary(timeline, use), ...more], width)),
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
  const paths = pathsOf(call)
    .map(({ relative }) => relative)
    .join(', ');
  return [
    callNumber(key),
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
function decisionOn(call: CallRecord): string {
  const authorization = call.execution?.authorization;
  if (authorization?.kind === 'free') return `free (${authorization.riskLevel})`;
  if (authorization?.kind === 'grant') return `grant by ${printableLine(authorization.approver, 32)}`;
  const counted = countedDecisions(call);
  const missing = counted.at(-1)?.remaining ?? 0;
  const more = missing > 0 ? [`${String(missing)} more needed`] : [];
  if (counted.length > 0) return [...counted.map(decisionWords), ...more].join(', ');
  return call.outcome?.byPolicy ? 'denied by policy' : '–';
}

const WORDS = { approve: 'approved', edit: 'edited', deny: 'denied' } as const;

/** Such as `edited by ann (update)`. Approver names are claims, not proofs. */
export function decisionWords({ decision, via }: DecisionRecord): string {
  if (!decision) return `a decision (${via})`;
  return `${WORDS[decision.decision]} by ${printableLine(decision.approver, 32)} (${via})`;
}

/** Such as `ok` or `error path_refused`, painted by how it ended. */
export function outcomeCell({ outcome }: CallRecord, colors: Colors): Exclude<Cell, string> {
  const text = outcome ? [outcome.status, outcome.code].filter(Boolean).join(' ') : 'open';
  const paint = { ok: colors.green, error: colors.red, denied: colors.yellow, expired: colors.yellow };
  return { text, paint: outcome && outcome.status !== 'cancelled' ? paint[outcome.status] : colors.dim };
}

/** Of the execution alone, from its scheduling to its end. */
export function durationOf({ execution }: CallRecord): string {
  return execution?.ended ? duration(execution.ended.at - execution.scheduled.at) : '–';
}

function refusedLine(record: DecisionRecord): readonly string[] {
  const refusal = refusalOf(record);
  if (!refusal) return [];
  return [`  A ${refusedWords(record.decision?.approver, record.via)}: ${refusal.code}.`];
}

function unannouncedLine({ delivered, webhook, key }: AnnouncementRecord): readonly string[] {
  if (delivered !== false) return [];
  return [`  The webhook ${printableLine(webhook, 64)} was not told that ${callNumber(key)} asks.`];
}

/** Such as `decision of ada (update) was refused`; whoever sent what was no decision is not known. */
export function refusedWords(approver: string | undefined, via: DecisionRecord['via']): string {
  const who = approver === undefined ? '' : ` of ${printableLine(approver, 32)}`;
  return `decision${who} (${via}) was refused`;
}

function summary(timeline: Timeline, use: BudgetUse | undefined): Rows {
  const { turns } = timeline;
  const calls = turns.flatMap((turn) => turn.calls);
  const rows = [['Run', howItEnded(timeline)], ...budgetRows(timeline, use)];
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
  if (!end) return 'open';
  const after = started ? ` after ${duration(end.at - started.at)}` : '';
  switch (end.status) {
    case 'completed':
      return `${end.result?.exhausted ? `ended, budget ${end.result.exhausted} used up` : 'done'}${after}`;
    case 'failed': {
      const code = end.type?.replace(/^holdfast\./, '') ?? 'internal_error';
      return `failed${after}, ${code}: ${printableLine(end.message, 200)}`;
    }
    case 'cancelled':
    case 'terminated':
      return `${end.status}${after}`;
    case 'timed_out':
      return `timed out${after}`;
  }
}

function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? '' : 's'}`;
}
