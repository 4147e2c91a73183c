import { Command } from 'commander';
import type { CommandOf } from './command-line.js';

/** `holdfast worker MODULE...`: works for the agents of these modules until it is told to stop. */
export const workerCommand: CommandOf = (context, ended) =>
  new Command('worker')
    .description('Work for the agents that modules export, until SIGTERM or Ctrl-C.')
    .argument('<module...>', 'files in .js, .mjs, .ts or .mts that export what defineAgent returns')
    .option('--json', 'what is worked for, as one line of JSON')
    .action(async (modules: readonly string[], { json = false }: { json?: boolean }) => {
      const { runWorker } = await import('./run-worker.js');
      ended(await runWorker(modules, json, context));
    });
