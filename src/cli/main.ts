#!/usr/bin/env node
import { readPersonalSettings } from '../config.js';
import { runCommandLine } from './command-line.js';
import { EXIT_CODES } from './exit-codes.js';
import { Interrupts } from './interrupts.js';
import { openTerminal } from './terminal.js';

const interrupts = new Interrupts(() => process.exit(EXIT_CODES.cancelled.number));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => interrupts.interrupt());
// Nobody reads on, as after `| head`.
process.stdout.on('error', () => process.exit(EXIT_CODES.failed.number));
const exit = await runCommandLine(process.argv.slice(2), {
  terminal: openTerminal(process, () => interrupts.interrupt()),
  settings: readPersonalSettings(),
  interrupts,
});
// The Temporal runtime keeps a process alive in which no worker ever ran.
process.exit(EXIT_CODES[exit].number);
