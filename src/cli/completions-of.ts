import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { listRuns } from './list-runs.js';
import { withClient } from './open-client.js';

/** Nobody waits longer for a shell to complete a word. */
const MOST_MS = 1_000;
const MOST_RUNS = 100;

/** Ids are chosen by whoever starts a run; one that a shell would read as more than a word is not offered. */
const PLAIN = /^[A-Za-z0-9._-]+$/;

/** Verbs that also make sense for a run that has ended. */
const ALSO_ENDED = ['show', 'follow'];

/**
 * What the last of the words may become: a verb, an option of the verb before it, or the id of a run. Without a
 * server no ids; never rejects.
 */
export async function completionsOf(program: Command, words: readonly string[]): Promise<readonly string[]> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1).filter((word) => !word.startsWith('-'));
  const fitting = (found: readonly string[]): readonly string[] =>
    found.filter((word) => word.startsWith(typed));
  let command = program;
  let operands = 0;
  for (const word of before) {
    const below = command.commands.find((candidate) => candidate.name() === word);
    if (below) command = below;
    else operands += 1;
  }
  if (typed.startsWith('-')) {
    return fitting(command.options.flatMap(({ long }) => (long ? [long] : [])).concat('--help'));
  }
  if (command.commands.length > 0) {
    return fitting(
      command
        .createHelp()
        .visibleCommands(command)
        .map((below) => below.name()),
    );
  }
  const argument = command.registeredArguments[operands];
  if (argument?.argChoices) return fitting(argument.argChoices);
  if (argument?.name() !== 'run' && argument?.name() !== 'request') return [];
  return fitting(await runIds(ALSO_ENDED.includes(command.name())));
}

async function runIds(alsoEnded: boolean): Promise<readonly string[]> {
  const options = { limit: MOST_RUNS, ...(alsoEnded ? {} : { status: 'running' as const }) };
  const asked = withClient(async (client) => (await listRuns(client, options)).runs).catch(() => []);
  const runs = await Promise.race([asked, delay(MOST_MS, [], { ref: false })]);
  return runs.map(({ runId }) => runId).filter((runId) => PLAIN.test(runId));
}
