import type { Budgets, NumericBudgets } from '../contract/manifest.js';

type Numeric = keyof NumericBudgets;

/** The compiler holds it complete. */
const NUMERIC: Readonly<Record<Numeric, true>> = {
  maxErrors: true,
  maxConsecutiveErrors: true,
  maxConsecutiveDenials: true,
  maxTurns: true,
  maxRepeats: true,
  maxTokens: true,
  maxWallClockMs: true,
  exhaustedTimeoutMs: true,
};

/** The name of the first budget that a start would widen, or the narrowed budgets (`surface:narrow-only`). */
export function narrowBudgets(
  server: Budgets,
  asked: Partial<NumericBudgets>,
): { readonly widened: Numeric; readonly most: number } | { readonly budgets: Budgets } {
  const narrowed: { [Name in Numeric]?: number } = {};
  for (const [name, wanted] of Object.entries(asked)) {
    if (!isNumeric(name) || wanted === undefined) continue;
    const most = capOf(server, name);
    if (wanted > most) return { widened: name, most };
    narrowed[name] = wanted;
  }
  return { budgets: { ...server, ...narrowed } };
}

/** What is absent, and a repeat guard that is off, caps nothing. */
function capOf(server: Budgets, name: Numeric): number {
  const cap = server[name];
  return cap === undefined || (name === 'maxRepeats' && cap === 0) ? Infinity : cap;
}

function isNumeric(name: string): name is Numeric {
  return Object.hasOwn(NUMERIC, name);
}
