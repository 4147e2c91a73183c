import { isJsonObject } from '../contract/json.js';
import { LIMITS } from '../contract/limits.js';
import type { Budgets } from '../contract/manifest.js';
import { didYouMean } from './near-name.js';

/** What the value of a budget must be. The compiler holds it complete. */
const RULES: Record<keyof Budgets, { readonly holds: (value: unknown) => boolean; readonly rule: string }> = {
  maxErrors: { holds: isCount, rule: 'must be a whole number from 1' },
  maxConsecutiveErrors: { holds: isCount, rule: 'must be a whole number from 1' },
  maxConsecutiveDenials: { holds: isCount, rule: 'must be a whole number from 1' },
  maxTurns: { holds: isCount, rule: 'must be a whole number from 1' },
  maxRepeats: {
    holds: (value) => value === 0 || isCount(value),
    rule: 'must be a whole number from 0, which switches it off',
  },
  maxErrorsPerTool: { holds: isCounts, rule: 'must hold a whole number from 1 for each tool it names' },
  maxTokens: { holds: isCount, rule: 'must be a whole number from 1' },
  maxWallClockMs: { holds: isCount, rule: 'must be a whole number from 1, in milliseconds' },
  onExhausted: {
    holds: (value) => value === 'conclude' || value === 'fail' || value === 'pause',
    rule: 'must be conclude, fail or pause',
  },
  exhaustedTimeoutMs: { holds: isCount, rule: 'must be a whole number from 1, in milliseconds' },
};

/** A higher number would seem to guard, and never refuse a call (`budget:repeat`). */
const NEVER_REPEATED = `must be at most ${LIMITS.recentCalls}, for so many calls are remembered; 0 switches it off`;

/** The first field of budgets that is wrong, or not known. */
export function budgetFault(budgets: Budgets): { readonly field: string; readonly rule: string } | undefined {
  for (const [field, value] of Object.entries(budgets)) {
    if (!isBudget(field)) return { field, rule: notKnown(field) };
    const { holds, rule } = RULES[field];
    if (!holds(value)) return { field, rule };
  }
  const { maxRepeats } = budgets;
  return maxRepeats > LIMITS.recentCalls ? { field: 'maxRepeats', rule: NEVER_REPEATED } : undefined;
}

function notKnown(field: string): string {
  const names = Object.keys(RULES);
  return `is no budget${didYouMean(field, names)}; there are ${names.join(', ')}`;
}

function isBudget(field: string): field is keyof Budgets {
  return Object.hasOwn(RULES, field);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

function isCounts(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every(isCount);
}
