import { Command } from 'commander';
import type { CommandOf } from './command-line.js';

/** `holdfast tool check MODULE...`. */
export const toolCommand: CommandOf = ({ terminal }, ended) =>
  new Command('tool')
    .helpCommand(false)
    .description('Check tools: holdfast tool check MODULE.')
    .addCommand(
      new Command('check')
        .description('Check the tools that modules export, alone or in an agent, as a worker will.')
        .argument('<module...>', 'files in .js, .mjs, .ts or .mts')
        .option('--json', 'the findings as JSON')
        .action(async (modules: readonly string[], { json = false }: { json?: boolean }) => {
          const { reportTools } = await import('./check-tools.js');
          ended((await reportTools(modules, terminal, json)) ? 'ok' : 'usage');
        }),
    );
