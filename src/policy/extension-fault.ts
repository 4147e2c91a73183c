import type { BudgetExtension } from '../contract/control.js';
import { LIMITS } from '../contract/limits.js';
import type { Budgets } from '../contract/manifest.js';
import type { BudgetName } from '../contract/run.js';
import { uncapped } from './budget.js';

/** What an operator is told who asks for what no model call would heed any more. */
export const ENDING = 'The run is ending.';

/** What of a run decides whether its budgets may be extended. */
export interface ExtendableRun {
  /** Those that hold now; undefined until the run is prepared. */
  readonly budgets: Budgets | undefined;
  readonly exhausted: BudgetName | undefined;
  /** It has its last word, or has ended. */
  readonly ending: boolean;
  /** How often they were extended. */
  readonly extensions: number;
}

/**
 * Why an operator cannot extend these budgets now, in words; undefined when nothing speaks against it
 * (`budget:exhausted`). The run decides by it, and who reads its history knows by it what became of a signal.
 */
export function extensionFault(
  { budgets, exhausted, ending, extensions }: ExtendableRun,
  add: BudgetExtension,
): string | undefined {
  if (!budgets) return 'The run is not prepared yet. Send it again in a moment.';
  if (ending) return ENDING;
  if (exhausted !== undefined && budgets.onExhausted !== 'pause') {
    return 'A budget of the run is used up, and the run ends. Only with onExhausted pause would it wait.';
  }
  if (extensions >= LIMITS.extensions) {
    return 'The budgets of this run were extended too often. Start another run.';
  }
  const name = uncapped(budgets, add);
  return (
    name && `This run has no cap ${name}, so there is nothing to extend. \`holdfast show\` tells its budgets.`
  );
}
