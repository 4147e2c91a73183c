import { Command, InvalidArgumentError } from 'commander';
import type { CommandOf } from './command-line.js';

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly json?: boolean;
}

/** `holdfast serve`: the HTTP API until it is told to stop. */
export const serveCommand: CommandOf = (context, ended) =>
  new Command('serve')
    .description('Serve the HTTP API of the Temporal server that runs, until Ctrl-C.')
    .option('--host <address>', 'where to listen', '127.0.0.1')
    .option('--port <number>', 'at which port; 0 takes a free one', port, 8721)
    .option('--json', 'the address, and on standard error a line for each request, as JSON')
    .action(async (options: ServeOptions) => {
      const { serveApi } = await import('./serve-api.js');
      ended(await serveApi(options, context));
    });

function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= 65_535) return value;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}
