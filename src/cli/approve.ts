import type { CommandOf } from './command-line.js';
import { decidingCommand, type DecidingOptions } from './deciding-command.js';

interface ApproveOptions extends DecidingOptions {
  readonly run?: boolean;
}

/** `holdfast approve REQUEST`. */
export const approveCommand: CommandOf = ({ terminal }, ended) =>
  decidingCommand('approve', 'Have a call run exactly as `holdfast approvals` shows it.')
    .option('--run', 'and let further calls of this tool in this run go unasked')
    .action(async (first: string, call: string | undefined, options: ApproveOptions) => {
      const { approver, run = false, json = false } = options;
      const { decideOnce } = await import('./decide-request.js');
      const draft = { decision: 'approve', approver, ...(run && { scope: 'run' as const }) } as const;
      ended(await decideOnce(first, call, draft, { terminal, json }));
    });
