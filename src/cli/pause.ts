import type { CommandOf } from './command-line.js';
import { controllingCommand, type ControllingOptions } from './controlling-command.js';

/** `holdfast pause RUN`. */
export const pauseCommand: CommandOf = ({ terminal }, ended) =>
  controllingCommand(
    'pause',
    'Have a run wait before its next model call. What it asked for goes on.',
  ).action(async (runId: string, { by, json }: ControllingOptions) => {
    const { controlRun } = await import('./control-run.js');
    const done = 'The run pauses before its next model call. `holdfast resume` ends that.';
    ended(await controlRun(runId, (client) => client.pause(runId, by), { terminal, json, done }));
  });
