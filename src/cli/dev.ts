import { Command } from 'commander';
import { readConfig } from '../config.js';
import type { CommandOf } from './command-line.js';

export interface DevOptions {
  readonly workspace?: string;
  readonly prompt?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `holdfast dev`: one run from start to end, with the worker in this process. `npm start` runs it. */
export const devCommand: CommandOf = (context, ended) =>
  new Command('dev')
    .description('Run the example agent, or one on your own files, and ask before each change.')
    .option('--workspace <dir>', 'the files to work on; without it, a copy of the example')
    .option('--prompt <text>', 'what the agent is asked to do; goes with --workspace')
    .option('--yes', 'let a second process approve, instead of asking here')
    .option('--json', 'one line of JSON for each event, as follow --json; a second process decides')
    .action(async (options: DevOptions) => {
      const config = readConfig();
      const { jobOf } = await import('./dev/job.js');
      const { terminal } = context;
      const { json = false } = options;
      const job = await jobOf(options, config, terminal.interactive && !json);
      const { runSession } = await import('./dev/session.js');
      // What is for a person would spoil the lines for a program.
      const silent = { ...terminal, print: () => undefined, interactive: false };
      const speaking = json ? { ...context, terminal: silent } : context;
      ended(await runSession(job, config, speaking, json ? terminal.print : undefined));
    });
