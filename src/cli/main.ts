#!/usr/bin/env node
import { readPersonalSettings, type PersonalSettings } from '../config.js';
import { runCommandLine } from './command-line.js';
import { EXIT_CODES, type Exit } from './exit-codes.js';
import { Interrupts } from './interrupts.js';
import { reportFailure } from './report-failure.js';
import { openTerminal } from './terminal.js';

const interrupts = new Interrupts(() => process.exit(EXIT_CODES.cancelled.number));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => interrupts.interrupt());
// Nobody reads on, as after `| head`.
process.stdout.on('error', () => process.exit(EXIT_CODES.failed.number));
const terminal = openTerminal(process, () => interrupts.interrupt());
const exit = await run();
// The Temporal runtime keeps a process alive in which no worker ever ran.
process.exit(EXIT_CODES[exit].number);

async function run(): Promise<Exit> {
  let settings: PersonalSettings;
  try {
    settings = readPersonalSettings();
  } catch (error) {
    return reportFailure(error, terminal, false);
  }
  return runCommandLine(process.argv.slice(2), { terminal, settings, interrupts });
}
