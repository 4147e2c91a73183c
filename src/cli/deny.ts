import type { CommandOf } from './command-line.js';
import { decidingCommand, type DecidingOptions } from './deciding-command.js';

interface DenyOptions extends DecidingOptions {
  readonly reason?: string;
}

/** `holdfast deny REQUEST`. */
export const denyCommand: CommandOf = ({ terminal, interrupts }, ended) =>
  decidingCommand('deny', 'Have a call not run. The model goes on, and reads why.')
    .option('--reason <text>', 'why; the model reads it as written')
    .action(async (first: string, call: string | undefined, options: DenyOptions) => {
      const { approver, reason, json = false } = options;
      const { decideOnce } = await import('./decide-request.js');
      const draft = { decision: 'deny', approver, ...(reason !== undefined && { reason }) } as const;
      ended(await decideOnce(first, call, draft, { terminal, json, signal: interrupts.signal }));
    });
