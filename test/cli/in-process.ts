import { inject, vi } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.js';
import { EXIT_CODES } from '../../src/cli/exit-codes.js';
import { Interrupts } from '../../src/cli/interrupts.js';
import { person, type Answer } from './person.js';

export interface CommandEnd {
  readonly code: number;
  readonly shown: string;
  readonly complaints: string;
}

export interface CommandOptions {
  /** Of a person at a terminal. Omitted: there is no terminal. */
  readonly answers?: readonly Answer[];
  readonly editor?: string;
  readonly interrupts?: Interrupts;
  /** Of another server than the shared one. */
  readonly address?: string;
}

/** Runs a command line in this process, against the server that all tests share. */
export async function holdfast(args: readonly string[], options: CommandOptions = {}): Promise<CommandEnd> {
  const {
    answers,
    editor,
    address = inject('temporalAddress'),
    interrupts = new Interrupts(() => undefined),
  } = options;
  vi.stubEnv('TEMPORAL_ADDRESS', address);
  vi.stubEnv('HOLDFAST_SIGNING_KEY', inject('signingKeyFile'));
  const { terminal, shown, complaints } = person(answers ?? [], answers !== undefined);
  const settings = { debug: false, ...(editor !== undefined && { editor }) };
  try {
    const exit = await runCommandLine(args, { terminal, interrupts, settings });
    return { code: EXIT_CODES[exit].number, shown: shown(), complaints: complaints() };
  } finally {
    vi.unstubAllEnvs();
  }
}
