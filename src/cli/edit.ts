import type { CommandOf } from './command-line.js';
import { decidingCommand, type DecidingOptions } from './deciding-command.js';

export interface EditOptions extends DecidingOptions {
  readonly args?: string;
  readonly yes?: boolean;
}

/** `holdfast edit REQUEST`. */
export const editCommand: CommandOf = (context, ended) =>
  decidingCommand('edit', 'Change the arguments of a call, then have it run with these.')
    .option('--args <json>', 'all of the arguments; without it, your editor opens')
    .option('--yes', 'with --args: do not show the request and ask')
    .action(async (first: string, call: string | undefined, options: EditOptions) => {
      const { editRequest } = await import('./edit-request.js');
      ended(await editRequest(first, call, options, context));
    });
