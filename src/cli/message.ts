import { HoldfastError } from '../contract/error-codes.js';
import { LIMITS } from '../contract/limits.js';
import type { CommandOf } from './command-line.js';
import { controllingCommand, type ControllingOptions } from './controlling-command.js';

/** `holdfast message RUN TEXT`. */
export const messageCommand: CommandOf = ({ terminal }, ended) =>
  controllingCommand('message', 'Tell the model something, once the tools of its turn have ended.')
    .argument('<text>', 'what it is told; - reads standard input')
    .action(async (runId: string, given: string, { by, json }: ControllingOptions) => {
      const { controlRun } = await import('./control-run.js');
      const text = given === '-' ? await terminal.readInput(LIMITS.messageBytes) : given;
      if (text === undefined) {
        const most = `${String(LIMITS.messageBytes / 1024)} KiB`;
        throw new HoldfastError('invalid_config', `Standard input must be UTF-8 and at most ${most}.`);
      }
      const done = 'The model reads it with its next turn.';
      ended(await controlRun(runId, (client) => client.message(runId, text, by), { terminal, json, done }));
    });
