import type { Budgets } from '../contract/manifest.js';
import type { BudgetName } from '../contract/run.js';

/** The name of the first budget that a start would widen, or the narrowed budgets (`surface:narrow-only`). */
export function narrowBudgets(
  server: Budgets,
  asked: Partial<Budgets>,
): { readonly widened: BudgetName } | { readonly budgets: Budgets } {
  const narrowed = { ...server, ...asked };
  for (const name of ['maxErrors', 'maxConsecutiveErrors', 'maxConsecutiveDenials', 'maxTurns'] as const) {
    if (narrowed[name] > server[name]) return { widened: name };
  }
  return { budgets: { ...narrowed, onExhausted: server.onExhausted } };
}
