import { Command } from 'commander';
import { readConfig } from '../config.js';
import type { CommandOf } from './command-line.js';

export interface DevOptions {
  readonly workspace?: string;
  readonly prompt?: string;
  readonly yes?: boolean;
}

/** `holdfast dev`: one run from start to end, with the worker in this process. `npm start` runs it. */
export const devCommand: CommandOf = (context, ended) =>
  new Command('dev')
    .description('Run the example agent, or one on your own files, and ask before each change.')
    .option('--workspace <dir>', 'the files to work on; without it, a copy of the example')
    .option('--prompt <text>', 'what the agent is asked to do; goes with --workspace')
    .option('--yes', 'let a second process approve, instead of asking here')
    .action(async (options: DevOptions) => {
      const config = readConfig();
      const { jobOf } = await import('./dev/job.js');
      const job = await jobOf(options, config, context.terminal.interactive);
      const { runSession } = await import('./dev/session.js');
      ended(await runSession(job, config, context));
    });
