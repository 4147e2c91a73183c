import { Command } from 'commander';
import type { CommandOf } from './command-line.js';

/** `holdfast follow RUN`: a run from its beginning to its end. */
export const followCommand: CommandOf = (context, ended) =>
  new Command('follow')
    .description('Show a run as it goes on, from its beginning to its end. Ctrl-C stops the showing alone.')
    .argument('<run>', 'the id of the run')
    .option('--json', 'one line of JSON for each event, without arguments and outputs')
    .action(async (runId: string, { json = false }: { json?: boolean }) => {
      const [{ withClient }, { followRun }, { checkRun }] = await Promise.all([
        import('./open-client.js'),
        import('./follow-run.js'),
        import('./find-run.js'),
      ]);
      ended(
        await withClient(async (client) => {
          await checkRun(client, runId);
          return followRun(client, runId, context, json);
        }),
      );
    });
