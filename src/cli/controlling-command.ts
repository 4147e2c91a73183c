import { Command } from 'commander';
import { runName } from './name-option.js';
import { userName } from './user-name.js';

/** What every verb that steers a run takes. */
export interface ControllingOptions {
  readonly by: string;
  readonly json?: boolean;
}

/** A verb that names a run and who steers it. */
export function controllingCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<run>', 'the id of the run', runName)
    .option('--by <name>', 'who asks: a claim, not a proof', userName())
    .option('--json', 'the answer as JSON');
}
