import { Command } from 'commander';
import type { CommandOf } from './command-line.js';
import { runName } from './name-option.js';
import { wholeNumber } from './number-option.js';

interface FollowCommandOptions {
  readonly from: number;
  readonly json?: boolean;
}

/** `holdfast follow RUN`: a run from its beginning to its end. */
export const followCommand: CommandOf = (context, ended) =>
  new Command('follow')
    .description('Show a run as it goes on, from its beginning to its end. Ctrl-C stops the showing alone.')
    .argument('<run>', 'the id of the run', runName)
    .option('--from <number>', 'begin with the event of this number', wholeNumber(), 1)
    .option('--json', 'one line of JSON for each event, with its number; no arguments, no outputs')
    .action(async (runId: string, { from, json = false }: FollowCommandOptions) => {
      const [{ withClient }, { followRun }, { checkRun }] = await Promise.all([
        import('./open-client.js'),
        import('./follow-run.js'),
        import('../runs/find-run.js'),
      ]);
      ended(
        await withClient(async (client) => {
          await checkRun(client, runId);
          return followRun(client, runId, context, { json, from });
        }),
      );
    });
