import type { Budgets } from '../contract/manifest.js';

type Numeric =
  | 'maxErrors'
  | 'maxConsecutiveErrors'
  | 'maxConsecutiveDenials'
  | 'maxTurns'
  | 'maxRepeats'
  | 'maxTokens'
  | 'maxWallClockMs'
  | 'exhaustedTimeoutMs';
const NUMERIC: readonly Numeric[] = [
  'maxErrors',
  'maxConsecutiveErrors',
  'maxConsecutiveDenials',
  'maxTurns',
  'maxRepeats',
  'maxTokens',
  'maxWallClockMs',
  'exhaustedTimeoutMs',
];

/** The name of the first budget that a start would widen, or the narrowed budgets (`surface:narrow-only`). */
export function narrowBudgets(
  server: Budgets,
  asked: Partial<Budgets>,
): { readonly widened: Numeric; readonly most: number } | { readonly budgets: Budgets } {
  const narrowed: { [Name in Numeric]?: number } = {};
  for (const name of NUMERIC) {
    const wanted = asked[name];
    if (wanted === undefined) continue;
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
