import type { CommandOf } from './command-line.js';
import { decidingCommand, type DecidingOptions } from './deciding-command.js';

interface ApproveOptions extends DecidingOptions {
  readonly run?: boolean;
  readonly yes?: boolean;
}

/** `holdfast approve REQUEST`: what is decided is what was shown. */
export const approveCommand: CommandOf = ({ terminal, interrupts }, ended) =>
  decidingCommand('approve', 'Have a call run exactly as `holdfast approvals` shows it.')
    .option('--run', 'and let further calls of this tool in this run go unasked')
    .option('--yes', 'do not show the request and ask; by its key it is never asked')
    .action(async (first: string, call: string | undefined, options: ApproveOptions) => {
      const { approver, run = false, yes, json = false } = options;
      const { decideOnce } = await import('./decide-request.js');
      const draft = { decision: 'approve', approver, ...(run && { scope: 'run' as const }) } as const;
      ended(await decideOnce(first, call, draft, { terminal, json, yes, signal: interrupts.signal }));
    });
