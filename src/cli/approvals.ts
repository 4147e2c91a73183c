import { Command, Option } from 'commander';
import { RISK_LEVELS, type RiskLevel } from '../contract/tool.js';
import type { CommandOf } from './command-line.js';
import { agentName, runName, toolName } from './name-option.js';
import { wholeNumber } from './number-option.js';

export interface ApprovalsOptions {
  readonly agent?: string;
  readonly tool?: string;
  readonly risk?: RiskLevel;
  readonly limit: number;
  readonly page?: string;
  readonly json?: boolean;
}

/** `holdfast approvals [RUN]`: what waits for a person. */
export const approvalsCommand: CommandOf = ({ terminal }, ended) =>
  new Command('approvals')
    .description('List what waits for a person, in all open runs, or one run in full.')
    .argument('[run]', 'the id of a run: its requests in full, arguments included', runName)
    .option('--agent <name>', 'in the runs of this agent alone', agentName)
    .option('--tool <name>', 'in runs where a request for this tool waits', toolName)
    .addOption(new Option('--risk <level>', 'in runs where one of this risk waits').choices(RISK_LEVELS))
    .option('--limit <number>', 'how many runs in a page', wholeNumber(1000), 100)
    .option('--page <token>', 'the page after the one that gave this token')
    .option('--json', 'JSON; requests in full only for one run')
    .action(async (runId: string | undefined, options: ApprovalsOptions) => {
      const { showApprovals } = await import('./show-approvals.js');
      ended(await showApprovals(runId, options, terminal));
    });
