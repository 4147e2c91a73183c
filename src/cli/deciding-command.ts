import { Command } from 'commander';
import { runName } from './name-option.js';
import { userName } from './user-name.js';

/** What every verb that decides takes. */
export interface DecidingOptions {
  readonly approver: string;
  readonly json?: boolean;
}

/** A verb that names a request and an approver. */
export function decidingCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<request>', 'the key of the request, or the id of its run', runName)
    .argument('[call]', 'after the id of a run: the call, such as 2.1')
    .option('--approver <name>', 'who decides: a claim, not a proof', userName())
    .option('--json', 'the answer as JSON');
}
