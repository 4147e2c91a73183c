import type { HoldfastClient } from '../client.js';
import type { ControlAnswer } from '../contract/control.js';
import { inTime } from '../runs/ask-run.js';
import { exitFor, type Exit } from './exit-codes.js';
import { checkRun } from '../runs/find-run.js';
import { withClient } from './open-client.js';
import { jsonLine } from './print-json.js';
import { printableLine } from './printable.js';
import type { Terminal } from './terminal.js';

export interface ControlReport {
  readonly terminal: Terminal;
  readonly json?: boolean | undefined;
  /** What is said of it when it is done. */
  readonly done: string;
}

/** Asks something of a run and says what became of it. */
export async function controlRun(
  runId: string,
  ask: (client: HoldfastClient) => Promise<ControlAnswer>,
  { terminal, json = false, done }: ControlReport,
): Promise<Exit> {
  const answer = await withClient(async (client) => {
    await checkRun(client, runId);
    return inTime(client, () => ask(client), { say: terminal.complain });
  });
  if (json) terminal.print(jsonLine({ runId, ...answer }));
  else if (answer.done) terminal.print(done);
  else terminal.complain(`${answer.code}: ${printableLine(answer.text, 2000)}`);
  return answer.done ? 'ok' : exitFor(answer.code);
}
