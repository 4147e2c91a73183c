import type { BudgetName } from './run.js';

/** What an operator adds to budgets of a run, by name; whole numbers from 1 (`budget:exhausted`). */
export type BudgetExtension = { readonly [Name in Exclude<BudgetName, 'maxErrorsPerTool'>]?: number } & {
  /** By the name of the tool. */
  readonly maxErrorsPerTool?: { readonly [tool: string]: number };
};

/** What an operator asks of a running run, by signal `control` or update `controlRun` (`run:control`). */
export type Control =
  | { readonly action: 'pause' | 'resume'; readonly by: string }
  /** Reaches the model after the tools of the turn at work. */
  | { readonly action: 'message'; readonly by: string; readonly text: string }
  /** Ends the grant of a tool: its next call asks again (`hitl:grants`). */
  | { readonly action: 'revoke'; readonly by: string; readonly tool: string }
  /** Adds to budgets, before they are used up or while the run waits for it. */
  | { readonly action: 'extendBudget'; readonly by: string; readonly add: BudgetExtension };

/** What became of it. Refusals say what to do and change nothing. */
export type ControlAnswer =
  | { readonly done: true; readonly action: Control['action'] }
  | { readonly done: false; readonly code: ControlErrorCode; readonly text: string };

export type ControlErrorCode = 'malformed_control' | 'control_refused' | 'run_closed';
