import { describe, expect, it } from 'vitest';
import type { CallOutcome } from '../../../src/contract/call.js';
import { ERROR_CODES, type CallErrorCode } from '../../../src/contract/error-codes.js';
import type { Budgets } from '../../../src/contract/manifest.js';
import type { BudgetCounters } from '../../../src/contract/run.js';
import { count, DEFAULT_BUDGETS, exhaustedBy, extend, NO_USE, uncapped } from '../../../src/policy/budget.js';

const USED: BudgetCounters = {
  errors: 4,
  consecutiveErrors: 2,
  consecutiveDenials: 3,
  toolErrors: { grep: 1 },
  tokens: 70,
};

const codes = Object.entries(ERROR_CODES)
  .filter(([, { door }]) => door === 'call')
  .map(([code]) => code as CallErrorCode);
const counted = codes.filter((code) => code !== 'budget_exhausted');

const CAPPED: Budgets = { ...DEFAULT_BUDGETS, maxErrorsPerTool: { grep: 9 } };

interface Row {
  readonly outcome: CallOutcome;
  readonly change: Partial<BudgetCounters>;
}

const rows: readonly Row[] = [
  { outcome: { status: 'ok' }, change: { consecutiveErrors: 0, consecutiveDenials: 0 } },
  ...counted.map((code) => ({
    outcome: { status: 'error', code } as const,
    change: { errors: 5, consecutiveErrors: 3, toolErrors: { grep: 2 } },
  })),
  { outcome: { status: 'error', code: 'budget_exhausted' }, change: {} },
  { outcome: { status: 'denied' }, change: { consecutiveDenials: 4 } },
  { outcome: { status: 'expired' }, change: { consecutiveDenials: 4 } },
  { outcome: { status: 'cancelled' }, change: {} },
];

describe('outcome by budget', () => {
  it.each(
    rows.map(
      (row) => [`${row.outcome.status} ${'code' in row.outcome ? row.outcome.code : ''}`, row] as const,
    ),
  )('%s changes the counters that it should and no other [budget:errors]', (_name, { outcome, change }) => {
    expect(count(USED, 'grep', outcome, CAPPED)).toEqual({ ...USED, ...change });
  });

  it('counts an error of a tool named like a member of every object as of any other [budget:errors]', () => {
    const failed = { status: 'error', code: 'unknown_tool' } as const;
    const budgets = { ...DEFAULT_BUDGETS, maxErrorsPerTool: { constructor: 1 } };
    const once = count(NO_USE, 'constructor', failed, budgets);
    expect(once.toolErrors).toEqual({ constructor: 1 });
    expect(exhaustedBy(once, budgets)).toBe('maxErrorsPerTool');
    expect(exhaustedBy(once, { ...DEFAULT_BUDGETS, maxErrorsPerTool: { toString: 1 } })).toBeUndefined();
  });

  it.each(['read', 'constructor', 'invented_by_a_model'])(
    'keeps no count of %s, which no cap names, and counts its error all the same [budget:errors]',
    (tool) => {
      const failed = { status: 'error', code: 'unknown_tool' } as const;
      for (const budgets of [CAPPED, DEFAULT_BUDGETS]) {
        expect(count(NO_USE, tool, failed, budgets)).toEqual({ ...NO_USE, errors: 1, consecutiveErrors: 1 });
      }
    },
  );
});

const caps: readonly { readonly budgets: Partial<Budgets>; readonly used: string | undefined }[] = [
  { budgets: {}, used: undefined },
  { budgets: { maxErrors: 5 }, used: undefined },
  { budgets: { maxErrors: 4 }, used: 'maxErrors' },
  { budgets: { maxConsecutiveErrors: 2 }, used: 'maxConsecutiveErrors' },
  { budgets: { maxConsecutiveErrors: 2, maxErrors: 4 }, used: 'maxConsecutiveErrors' },
  { budgets: { maxConsecutiveDenials: 3 }, used: 'maxConsecutiveDenials' },
  { budgets: { maxErrorsPerTool: { grep: 2, read: 1 } }, used: undefined },
  { budgets: { maxErrorsPerTool: { grep: 1 } }, used: 'maxErrorsPerTool' },
  { budgets: { maxTokens: 71 }, used: undefined },
  { budgets: { maxTokens: 70 }, used: 'maxTokens' },
];

describe('counters by budget', () => {
  it.each(caps)('$budgets is used up: $used [budget:errors] [budget:turns]', ({ budgets, used }) => {
    expect(exhaustedBy(USED, { ...DEFAULT_BUDGETS, ...budgets })).toBe(used);
  });
});

describe('an extension', () => {
  const budgets = { ...DEFAULT_BUDGETS, maxErrorsPerTool: { grep: 1, read: 1 } };

  it('adds to what it names and to nothing else [budget:exhausted]', () => {
    expect(extend(budgets, { maxErrors: 5, maxErrorsPerTool: { grep: 2 } })).toEqual({
      ...budgets,
      maxErrors: 15,
      maxErrorsPerTool: { grep: 3, read: 1 },
    });
  });

  it('never makes a number that is not exact [budget:exhausted]', () => {
    const most = Number.MAX_SAFE_INTEGER;
    expect(extend(budgets, { maxErrors: most }).maxErrors).toBe(most);
  });

  it.each([
    [{ maxErrors: 1 }, undefined],
    [{ maxTokens: 1 }, 'maxTokens'],
    [{ maxErrorsPerTool: { grep: 1 } }, undefined],
    [{ maxErrorsPerTool: { toString: 1 } }, 'toString'],
  ])('of %j names what has no cap: %s [budget:exhausted]', (add, name) => {
    expect(uncapped(budgets, add)).toBe(name);
  });
});
