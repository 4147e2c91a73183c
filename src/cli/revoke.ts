import type { CommandOf } from './command-line.js';
import { controllingCommand, type ControllingOptions } from './controlling-command.js';

/** `holdfast revoke RUN TOOL`. */
export const revokeCommand: CommandOf = ({ terminal }, ended) =>
  controllingCommand('revoke', 'End a grant: the next call of this tool asks again.')
    .argument('<tool>', 'the tool; `holdfast show` lists the grants')
    .action(async (runId: string, tool: string, { by, json }: ControllingOptions) => {
      const { controlRun } = await import('./control-run.js');
      const done = 'The grant has ended; the next call of this tool asks.';
      ended(await controlRun(runId, (client) => client.revoke(runId, tool, by), { terminal, json, done }));
    });
