import type { Timeline } from '../audit/timeline.js';
import type { HoldfastClient } from '../client.js';
import type { CommandContext } from './command-line.js';
import { changeJson } from './change-json.js';
import { mayWait } from './dev/progress.js';
import { progressOn, watchRun } from './dev/watch-run.js';
import type { Exit } from './exit-codes.js';
import { exitOfRun } from './exit-of-run.js';
import { jsonLine } from './print-json.js';
import { howItEnded } from './print-timeline.js';
import { printable } from './printable.js';

/**
 * Shows a run from its beginning to its end and says how it ended. An interrupt stops the showing alone. With
 * `json`, one line for each event.
 */
export async function followRun(
  client: HoldfastClient,
  runId: string,
  { terminal, interrupts }: CommandContext,
  json: boolean,
): Promise<Exit> {
  interrupts.hold();
  const { signal } = interrupts;
  const progress = progressOn(terminal);
  let told = false;
  const timeline = await watchRun({
    client,
    runId,
    signal,
    show: (change) => {
      if (json) return terminal.print(jsonLine({ runId, ...changeJson(change) }));
      progress(change);
      if (!mayWait(change) || told) return;
      told = true;
      terminal.print(terminal.colors.dim(`    What waits for a person: holdfast approvals ${runId}`));
    },
  });
  if (signal.aborted) {
    terminal.complain('Stopped following; the run goes on.');
    return 'cancelled';
  }
  if (!json) for (const line of lastLines(timeline)) terminal.print(line);
  return exitOfRun(timeline.end);
}

function lastLines(timeline: Timeline): readonly string[] {
  const { end } = timeline;
  const words = end?.status === 'completed' ? end.result?.text : undefined;
  return [...(words ? ['', printable(words)] : []), '', `Run ${howItEnded(timeline)}`];
}
