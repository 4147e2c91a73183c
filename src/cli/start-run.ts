import { randomUUID } from 'node:crypto';
import { HoldfastError } from '../contract/error-codes.js';
import { LIMITS } from '../contract/limits.js';
import type { StartRequest } from '../contract/manifest.js';
import { beginRun, hasWorker, isTaken } from '../runs/begin-run.js';
import type { CommandContext } from './command-line.js';
import type { Exit } from './exit-codes.js';
import { followRun } from './follow-run.js';
import { withClient } from './open-client.js';
import { jsonLine } from './print-json.js';
import type { RunOptions } from './run.js';
import { shellWord } from './shell-word.js';
import type { Terminal } from './terminal.js';

/**
 * Starts a run and says its id, once a worker has taken the start for good or none has within 10 s: that is said,
 * and the run waits. With `wait` the command ends when the run has ended. A start that the worker refuses throws
 * the refusal, and no id is said: nothing ran.
 */
export async function startRun(
  asked: StartRequest,
  { id, wait = false, queue = false, json = false }: RunOptions,
  context: CommandContext,
): Promise<Exit> {
  const { terminal } = context;
  const request = asked.prompt === '-' ? { ...asked, prompt: await promptFrom(terminal) } : asked;
  if (request.prompt.trim() === '') throw new HoldfastError('invalid_start', 'The prompt is empty.');
  if (id === '') throw new HoldfastError('invalid_start', '--id must not be empty.');
  return withClient(async (client) => {
    if (!queue && !(await hasWorker(client, request.agent))) {
      const how = 'Start one, or add --queue to have the run wait.';
      throw new HoldfastError(
        'no_worker',
        `No worker holds an agent ${request.agent}, so nothing was started. ${how}`,
      );
    }
    const runId = await beginRun(client, request, id ?? `run-${randomUUID()}`);
    const taken = queue || (await isTaken(client, runId, terminal.complain));
    terminal.print(json ? jsonLine({ runId }) : runId);
    if (!taken) {
      const how = wait ? '' : ` Or end it: holdfast cancel ${shellWord(runId)}.`;
      terminal.complain(`no_worker: No worker has taken the run; it waits until one does. Start one.${how}`);
    }
    if (wait) return followRun(client, runId, context, { json });
    return taken ? 'ok' : 'environment';
  });
}

async function promptFrom(terminal: Terminal): Promise<string> {
  const text = await terminal.readInput(LIMITS.promptBytes);
  if (text !== undefined) return text;
  const most = `${String(LIMITS.promptBytes / 1024)} KiB`;
  throw new HoldfastError('invalid_start', `Standard input must be UTF-8 and at most ${most}.`);
}
