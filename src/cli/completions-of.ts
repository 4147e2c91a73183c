import { setTimeout as delay } from 'node:timers/promises';
import type { Command, Option } from 'commander';
import type { HoldfastClient } from '../client.js';
import { callNumber } from '../runs/call-number.js';
import { listRuns, type ListedRun } from '../runs/list-runs.js';
import { withClient } from './open-client.js';

/** Nobody waits longer for a shell to complete a word. */
const MOST_MS = 1_000;
const MOST_RUNS = 100;

/** Ids are chosen by whoever starts a run; one that a shell would read as more than a word is not offered. */
const PLAIN = /^[A-Za-z0-9._-]+$/;

/** Verbs that also make sense for a run that has ended. */
const ALSO_ENDED = ['show', 'follow'];

type Words = readonly string[];

/** The words before the one that is being typed, as commander will read them. */
interface Typed {
  readonly command: Command;
  readonly operands: Words;
  /** The option whose value is being typed. */
  readonly option: Option | undefined;
}

/**
 * What the last of the words may become: a verb, an option of the verb before it or its value, the name of an
 * agent that had runs, the id of a run, or a call of it that waits. Of what a server knows nothing without one;
 * never rejects.
 */
export async function completionsOf(program: Command, words: Words): Promise<Words> {
  const typed = words.at(-1) ?? '';
  const before = readWords(program, words.slice(0, -1));
  const found = await candidates(before, typed.startsWith('-'));
  return [...new Set(found)].filter((word) => word.startsWith(typed));
}

function readWords(program: Command, words: Words): Typed {
  let command = program;
  let option: Option | undefined;
  const operands: string[] = [];
  for (const word of words) {
    if (option) {
      option = undefined;
    } else if (word.startsWith('-')) {
      option = command.options.find(({ long, required }) => long === word && required);
    } else {
      const below = command.commands.find((candidate) => candidate.name() === word);
      if (below) command = below;
      else operands.push(word);
    }
  }
  return { command, operands, option };
}

async function candidates({ command, operands, option }: Typed, wantsOption: boolean): Promise<Words> {
  if (option) return option.argChoices ?? (option.long === '--agent' ? agents() : []);
  if (wantsOption) return command.options.flatMap(({ long }) => (long ? [long] : [])).concat('--help');
  if (command.commands.length > 0) {
    return command
      .createHelp()
      .visibleCommands(command)
      .map((below) => below.name());
  }
  const argument = command.registeredArguments[operands.length];
  if (argument?.argChoices) return argument.argChoices;
  switch (argument?.name()) {
    case 'agent':
      return agents();
    case 'run':
    case 'request':
      return (await runs(ALSO_ENDED.includes(command.name()))).map(({ runId }) => runId).filter(isPlain);
    case 'call':
      return callsOf(operands[0] ?? '');
    case undefined:
    default:
      return [];
  }
}

async function agents(): Promise<Words> {
  return (await runs(true)).map(({ agent }) => agent).filter(isPlain);
}

function runs(alsoEnded: boolean): Promise<readonly ListedRun[]> {
  const options = { limit: MOST_RUNS, ...(alsoEnded ? {} : { status: 'running' as const }) };
  return soon(async (client) => (await listRuns(client, options)).runs);
}

function callsOf(runId: string): Promise<Words> {
  return soon(async (client) => (await client.pending(runId)).map(({ call }) => callNumber(call)));
}

function soon<T>(ask: (client: HoldfastClient) => Promise<readonly T[]>): Promise<readonly T[]> {
  return Promise.race([withClient(ask).catch(() => []), delay(MOST_MS, [], { ref: false })]);
}

function isPlain(word: string): boolean {
  return PLAIN.test(word);
}
