import { Command } from 'commander';
import type { HoldfastClient } from '../client.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { CommandOf } from './command-line.js';
import { runName } from './name-option.js';
import { jsonLine } from './print-json.js';

/** `holdfast cancel RUN`. */
export const cancelCommand: CommandOf = ({ terminal }, ended) =>
  new Command('cancel')
    .description('Ask a run to end. Its tools are told, and nothing of it goes on waiting.')
    .argument('<run>', 'the id of the run', runName)
    .option('--wait', 'end when the run has ended')
    .option('--json', 'the answer as JSON')
    .action(async (runId: string, { wait = false, json = false }: { wait?: boolean; json?: boolean }) => {
      const { withClient } = await import('./open-client.js');
      const status = await withClient((client) => cancelRun(client, runId, wait));
      terminal.print(json ? jsonLine({ runId, status }) : SAID[status]);
      ended('ok');
    });

type Status = 'cancelling' | 'ended';
const SAID: Readonly<Record<Status, string>> = {
  cancelling: 'The run was asked to end.',
  ended: 'The run has ended.',
};

async function cancelRun(client: HoldfastClient, runId: string, wait: boolean): Promise<Status> {
  const { checkRun } = await import('../runs/find-run.js');
  if (!(await checkRun(client, runId)).open) {
    throw new HoldfastError('run_closed', 'The run has ended already; there is nothing to cancel.');
  }
  await client.cancel(runId);
  if (!wait) return 'cancelling';
  await client.result(runId).catch((error: unknown) => {
    // However it ends, it has ended.
    if (!(error instanceof Error && error.name === 'WorkflowFailedError')) throw error;
  });
  return 'ended';
}
