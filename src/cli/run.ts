import { Command, Option } from 'commander';
import type { NumericBudgets, StartRequest } from '../contract/manifest.js';
import type { CommandOf } from './command-line.js';
import { agentName } from './name-option.js';
import { wholeNumber } from './number-option.js';
import { optionName } from './option-name.js';
import { userName } from './user-name.js';

type Narrowing = Omit<StartRequest, 'agent' | 'prompt' | 'budgets' | 'startedBy'>;
type Budget = keyof NumericBudgets;

export interface RunOptions extends Narrowing, Partial<Readonly<Record<Budget, number>>> {
  readonly id?: string;
  readonly wait?: boolean;
  readonly queue?: boolean;
  readonly as: string;
  readonly json?: boolean;
}

const BUDGETS: Readonly<Record<Budget, string>> = {
  maxErrors: 'end at this many errors',
  maxConsecutiveErrors: 'end at this many errors in a row',
  maxConsecutiveDenials: 'end at this many denials in a row',
  maxTurns: 'end after this many model calls',
  maxRepeats: 'refuse a call that is made this often among the last ones',
  maxTokens: 'end after this many tokens, in and out',
  maxWallClockMs: 'end after this many milliseconds, waiting included',
  exhaustedTimeoutMs: 'where the agent waits for more budget: wait at most this many milliseconds',
};

/** `holdfast run AGENT PROMPT`: starts a run. */
export const runCommand: CommandOf = (context, ended) => {
  const command = new Command('run')
    .description('Start a run and print its id. Options only narrow what the agent may do.')
    .argument('<agent>', 'the name of an agent that a worker holds', agentName)
    .argument('<prompt>', 'what it is asked to do; - reads standard input')
    .option('--wait', 'follow the run to its end, and exit by it')
    .option('--id <run>', 'the id of the run, new on the server; default a random one')
    .option('--as <name>', 'who starts it: a claim, not a proof', userName())
    .option('--queue', 'start although no worker of the agent is there')
    .option('--tools <names>', 'offer only these tools, separated by commas', names)
    .option('--exclude-tools <names>', 'do not offer these', names)
    .addOption(noTools())
    .option('--require-approval-for <names>', 'ask before every call of these', names);
  for (const [budget, meaning] of Object.entries(BUDGETS)) {
    command.option(`${optionName(budget)} <number>`, meaning, wholeNumber());
  }
  return command
    .option('--json', 'JSON: the id, or with --wait one line for each event')
    .action(async (agent: string, prompt: string, options: RunOptions) => {
      const { startRun } = await import('./start-run.js');
      ended(await startRun(requestOf(agent, prompt, options), options, context));
    });
};

/** commander would take it for the opposite of --tools. */
function noTools(): Option {
  const option = new Option('--no-tools <which>', 'offer no tool at all, or no built-in one');
  option.negate = false;
  return option.choices(['all', 'builtin']);
}

function names(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}

function requestOf(agent: string, prompt: string, options: RunOptions): StartRequest {
  const { tools, excludeTools, noTools, requireApprovalFor, as } = options;
  const budgets = Object.fromEntries(
    Object.keys(BUDGETS).flatMap((budget) => {
      const value = isBudget(budget) ? options[budget] : undefined;
      return value === undefined ? [] : [[budget, value]];
    }),
  );
  return {
    agent,
    prompt,
    startedBy: as,
    ...(tools && { tools }),
    ...(excludeTools && { excludeTools }),
    ...(noTools && { noTools }),
    ...(requireApprovalFor && { requireApprovalFor }),
    ...(Object.keys(budgets).length > 0 && { budgets }),
  };
}

function isBudget(name: string): name is Budget {
  return Object.hasOwn(BUDGETS, name);
}
