import type { BudgetExtension } from '../contract/control.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { CommandOf } from './command-line.js';
import { controllingCommand, type ControllingOptions } from './controlling-command.js';
import { toolAmount, wholeNumber } from './number-option.js';
import { optionName } from './option-name.js';

type Amount = Exclude<keyof BudgetExtension, 'maxErrorsPerTool'>;
type ExtendOptions = ControllingOptions &
  Partial<Readonly<Record<Amount, number>>> & { readonly maxErrorsOf?: Readonly<Record<string, number>> };

const AMOUNTS: Readonly<Record<Amount, string>> = {
  maxErrors: 'so many more errors',
  maxConsecutiveErrors: 'so many more errors in a row',
  maxConsecutiveDenials: 'so many more denials in a row',
  maxTurns: 'so many more model calls',
  maxTokens: 'so many more tokens',
  maxWallClockMs: 'so many more milliseconds',
};

/** `holdfast extend RUN --max-errors N ...`. */
export const extendCommand: CommandOf = ({ terminal }, ended) => {
  const command = controllingCommand(
    'extend',
    'Add to budgets of a run. One that waits because a budget is used up goes on.',
  );
  for (const [name, meaning] of Object.entries(AMOUNTS)) {
    command.option(`${optionName(name)} <number>`, meaning, wholeNumber());
  }
  return command
    .option('--max-errors-of <tool=number>', 'so many more errors of one tool; may be repeated', toolAmount)
    .action(async (runId: string, { by, json, ...options }: ExtendOptions) => {
      const { controlRun } = await import('./control-run.js');
      const { maxErrorsOf, ...amounts } = options;
      const add = { ...amounts, ...(maxErrorsOf && { maxErrorsPerTool: maxErrorsOf }) };
      if (Object.keys(add).length === 0) {
        throw new HoldfastError('invalid_config', 'Say what to add, such as --max-errors 5.');
      }
      const done = 'The budgets are extended.';
      ended(
        await controlRun(runId, (client) => client.extendBudget(runId, add, by), { terminal, json, done }),
      );
    });
};
