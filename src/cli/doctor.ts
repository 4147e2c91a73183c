import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import { readConfig } from '../config.js';
import type { CommandOf } from './command-line.js';
import { jsonLine } from './print-json.js';

/** `holdfast doctor`: what is there and what is missing. Starts and fetches nothing. */
export const doctorCommand: CommandOf = ({ terminal }, ended) =>
  new Command('doctor')
    .description('Say what Holdfast needs on this machine, and what is missing.')
    .option('--json', 'the findings as JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      const [{ diagnose, hasFailure }, { formatChecks }] = await Promise.all([
        import('../dev/doctor.js'),
        import('../dev/print-checks.js'),
      ]);
      const checks = await diagnose(readConfig());
      const lines = formatChecks(checks);
      if (json) terminal.print(jsonLine({ ok: !hasFailure(checks), checks }));
      else terminal.print(terminal.colors.isColorSupported ? lines : stripVTControlCharacters(lines));
      ended(hasFailure(checks) ? 'environment' : 'ok');
    });
