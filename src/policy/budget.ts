import type { CallOutcome } from '../contract/call.js';
import type { BudgetExtension } from '../contract/control.js';
import type { Budgets } from '../contract/manifest.js';
import type { BudgetCounters, BudgetName } from '../contract/run.js';

export const DEFAULT_BUDGETS: Budgets = {
  maxErrors: 10,
  maxConsecutiveErrors: 3,
  maxConsecutiveDenials: 5,
  maxTurns: 100,
  maxRepeats: 3,
  onExhausted: 'conclude',
  exhaustedTimeoutMs: 24 * 60 * 60 * 1000,
};

export const NO_USE: BudgetCounters = {
  errors: 0,
  consecutiveErrors: 0,
  consecutiveDenials: 0,
  toolErrors: {},
  tokens: 0,
};

/**
 * Counts one outcome by its status alone, in the order of recording (`budget:errors`). An expiry counts as a
 * denial does; a call that the budget itself stopped, or a cancelled one, counts nowhere. Errors are counted by
 * tool only where a cap names the tool: the name is the model's, which may invent one after the other.
 */
export function count(
  counters: BudgetCounters,
  tool: string,
  outcome: CallOutcome,
  budgets: Budgets,
): BudgetCounters {
  switch (outcome.status) {
    case 'ok':
      return { ...counters, consecutiveErrors: 0, consecutiveDenials: 0 };
    case 'error':
      if (outcome.code === 'budget_exhausted') return counters;
      return {
        ...counters,
        errors: counters.errors + 1,
        consecutiveErrors: counters.consecutiveErrors + 1,
        ...(Object.hasOwn(budgets.maxErrorsPerTool ?? {}, tool) && {
          toolErrors: { ...counters.toolErrors, [tool]: errorsOf(counters, tool) + 1 },
        }),
      };
    case 'denied':
    case 'expired':
      return { ...counters, consecutiveDenials: counters.consecutiveDenials + 1 };
    case 'cancelled':
      return counters;
  }
}

/** Own members only: a model may ask for a tool named `constructor`. */
function errorsOf({ toolErrors }: BudgetCounters, tool: string): number {
  return Object.hasOwn(toolErrors, tool) ? (toolErrors[tool] ?? 0) : 0;
}

/** The budget that these counters use up, if any; the most specific one first. */
export function exhaustedBy(counters: BudgetCounters, budgets: Budgets): BudgetName | undefined {
  if (counters.consecutiveErrors >= budgets.maxConsecutiveErrors) return 'maxConsecutiveErrors';
  if (counters.errors >= budgets.maxErrors) return 'maxErrors';
  if (counters.consecutiveDenials >= budgets.maxConsecutiveDenials) return 'maxConsecutiveDenials';
  const caps = Object.entries(budgets.maxErrorsPerTool ?? {});
  if (caps.some(([tool, most]) => errorsOf(counters, tool) >= most)) return 'maxErrorsPerTool';
  if (budgets.maxTokens !== undefined && counters.tokens >= budgets.maxTokens) return 'maxTokens';
  return undefined;
}

/**
 * Budgets with what operators added. A budget that caps nothing stays so: there is nothing to extend.
 */
export function extend(budgets: Budgets, add: BudgetExtension): Budgets {
  const { maxErrorsPerTool = {}, ...numbers } = add;
  const { maxErrorsPerTool: caps = {} } = budgets;
  const raised = Object.entries(numbers).map(([name, by]) => [name, raise(budgets, name, by)] as const);
  const tools = Object.entries(maxErrorsPerTool).map(([tool, by]) => [tool, raise(caps, tool, by)] as const);
  return {
    ...budgets,
    ...Object.fromEntries(raised),
    ...(budgets.maxErrorsPerTool && { maxErrorsPerTool: { ...caps, ...Object.fromEntries(tools) } }),
  };
}

/** The first budget of an extension that caps nothing in this run, if any. */
export function uncapped(budgets: Budgets, add: BudgetExtension): string | undefined {
  const { maxErrorsPerTool = {}, ...numbers } = add;
  const { maxErrorsPerTool: caps = {} } = budgets;
  const tool = Object.keys(maxErrorsPerTool).find((name) => !Object.hasOwn(caps, name));
  return Object.keys(numbers).find((name) => !Object.hasOwn(budgets, name)) ?? tool;
}

/** Never past what a number holds exactly. Only what is capped is raised, as `uncapped` makes sure. */
function raise(caps: object, name: string, by: number): number {
  const cap: unknown = Object.entries(caps).find(([other]) => other === name)?.[1];
  return Math.min((typeof cap === 'number' ? cap : 0) + by, Number.MAX_SAFE_INTEGER);
}

/**
 * True when the last of these calls is one repetition too many among them (`budget:repeat`): with the default of 3
 * the third identical call is.
 */
export function isRepeated(recent: readonly string[], maxRepeats: number): boolean {
  const call = recent.at(-1);
  return maxRepeats > 0 && recent.filter((other) => other === call).length >= maxRepeats;
}
