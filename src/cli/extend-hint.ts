import type { BudgetName } from '../contract/run.js';
import { optionName } from './option-name.js';
import { shellWord } from './shell-word.js';

/** The command that gives a run more of a budget that is used up. */
export function extendHint(runId: string, budget: BudgetName): string {
  const option = budget === 'maxErrorsPerTool' ? '--max-errors-of TOOL=N' : `${optionName(budget)} N`;
  return `holdfast extend ${shellWord(runId)} ${option}`;
}
