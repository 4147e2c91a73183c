import { budgetsOf, type ExtensionRecord, type Timeline } from '../audit/timeline.js';
import type { BudgetExtension } from '../contract/control.js';
import type { BudgetCounters } from '../contract/run.js';
import { duration } from './duration.js';
import { printableLine } from './printable.js';

/** How much of its budgets a run has used. */
export interface BudgetUse {
  readonly budget: BudgetCounters;
  readonly turns: number;
}

/**
 * The budgets that hold for a run, with what operators added, and a row for each time that somebody did. Names of
 * operators are claims.
 *
 * @param use of a run that has not ended; omitted: unknown, so that the caps alone are shown.
 */
export function budgetRows(timeline: Timeline, use?: BudgetUse): readonly (readonly string[])[] {
  const most = budgetsOf(timeline);
  if (!most) return [];
  const { end, extensions } = timeline;
  const { budget, turns } = (end && 'result' in end ? end.result : use) ?? {};
  const parts = [
    `errors ${ofMost(budget?.errors, most.maxErrors)}`,
    `in a row ${ofMost(budget?.consecutiveErrors, most.maxConsecutiveErrors)}`,
    `denials in a row ${ofMost(budget?.consecutiveDenials, most.maxConsecutiveDenials)}`,
    `turns ${ofMost(turns, most.maxTurns)}`,
    ...(most.maxTokens === undefined ? [] : [`tokens ${ofMost(budget?.tokens, most.maxTokens)}`]),
    ...Object.entries(most.maxErrorsPerTool ?? {}).map(([tool, cap]) => {
      const errors = budget && (Object.hasOwn(budget.toolErrors, tool) ? budget.toolErrors[tool] : 0);
      return `errors of ${printableLine(tool, 64)} ${ofMost(errors, cap)}`;
    }),
    ...(most.maxWallClockMs === undefined ? [] : [`at most ${duration(most.maxWallClockMs)}`]),
  ];
  const rows = extensions.map((extension, index) => [index === 0 ? 'Extended' : '', extended(extension)]);
  return [['Budget', parts.join(', ')], ...rows];
}

function ofMost(used: number | undefined, most: number): string {
  return used === undefined ? `at most ${String(most)}` : `${String(used)} of ${String(most)}`;
}

/** Such as `2026-01-31T12:00:00Z by ann: maxErrors +2`; without a time when that part of the history is gone. */
function extended({ by, add, accepted }: ExtensionRecord): string {
  const at = accepted ? `${new Date(accepted.at).toISOString().replace(/\.\d+Z$/, 'Z')} ` : '';
  return `${at}by ${printableLine(by, 64)}: ${amounts(add).join(', ')}`;
}

function amounts({ maxErrorsPerTool = {}, ...numbers }: BudgetExtension): readonly string[] {
  const tools = Object.entries(maxErrorsPerTool).map(
    ([tool, more]) => `maxErrorsPerTool ${printableLine(tool, 64)} +${String(more)}`,
  );
  return [...Object.entries(numbers).map(([name, more]) => `${name} +${String(more)}`), ...tools];
}
