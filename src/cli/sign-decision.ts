import { Option } from 'commander';
import type { Decision } from '../contract/decision.js';
import type { CommandOf } from './command-line.js';
import { decidingCommand, type DecidingOptions } from './deciding-command.js';

export interface SignOptions extends DecidingOptions {
  readonly decision: Decision['decision'];
  readonly args?: string;
  readonly reason?: string;
  readonly run?: boolean;
}

/** `holdfast sign-decision REQUEST`: prints what any Temporal client can send (`hitl:signed`). */
export const signDecisionCommand: CommandOf = ({ terminal }, ended) =>
  decidingCommand(
    'sign-decision',
    'Sign a decision and print it for any Temporal client to send; nothing is decided yet.',
  )
    .addOption(
      new Option('--decision <what>', 'what is decided')
        .choices(['approve', 'deny', 'edit'])
        .makeOptionMandatory(),
    )
    .option('--args <json>', 'with edit: all of the arguments')
    .option('--reason <text>', 'with deny: why; the model reads it as written')
    .option('--run', 'and let further calls of this tool in this run go unasked')
    .action(async (first: string, call: string | undefined, options: SignOptions) => {
      const { printSigned } = await import('./print-signed.js');
      ended(await printSigned(first, call, options, terminal));
    });
