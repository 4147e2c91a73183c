import { Command } from 'commander';
import type { CommandOf } from './command-line.js';
import { agentName, runName } from './name-option.js';
import { wholeNumber } from './number-option.js';

export interface ApprovalsOptions {
  readonly agent?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** `holdfast approvals [RUN]`: what waits for a person. */
export const approvalsCommand: CommandOf = ({ terminal }, ended) =>
  new Command('approvals')
    .description('List what waits for a person, in all open runs, or one run in full.')
    .argument('[run]', 'the id of a run: its requests in full, arguments included', runName)
    .option('--agent <name>', 'in the runs of this agent alone', agentName)
    .option('--limit <number>', 'how many open runs are asked', wholeNumber(1000), 100)
    .option('--json', 'JSON: requests in full, with their runs')
    .action(async (runId: string | undefined, options: ApprovalsOptions) => {
      const { showApprovals } = await import('./show-approvals.js');
      ended(await showApprovals(runId, options, terminal));
    });
