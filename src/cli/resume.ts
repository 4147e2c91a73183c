import type { CommandOf } from './command-line.js';
import { controllingCommand, type ControllingOptions } from './controlling-command.js';

/** `holdfast resume RUN`. */
export const resumeCommand: CommandOf = ({ terminal }, ended) =>
  controllingCommand('resume', 'Have a paused run go on.').action(
    async (runId: string, { by, json }: ControllingOptions) => {
      const { controlRun } = await import('./control-run.js');
      const done = 'The run goes on.';
      ended(await controlRun(runId, (client) => client.resume(runId, by), { terminal, json, done }));
    },
  );
