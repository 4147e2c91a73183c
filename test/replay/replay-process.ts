import { fork } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReplayOrder, ReplayReport } from './replay-histories.js';

const PROGRAM = fileURLToPath(new URL('../../dist/test/replay/replay-histories.js', import.meta.url));

/** How the code of a bundle differs from each history, in a process of its own; null where it does not. */
export async function differences(codePath: string, files: readonly string[]): Promise<ReplayReport> {
  const order: ReplayOrder = {
    codePath,
    files: files.map((file) => ({ file, workflowId: `run-${basename(file).split('.')[0]}` })),
  };
  const child = fork(PROGRAM, [JSON.stringify(order)], { execArgv: [] });
  const ended = once(child, 'exit').then(() => {
    throw new Error('The replay process ended without a report.');
  });
  const [report] = (await Promise.race([once(child, 'message'), ended])) as [ReplayReport];
  return report;
}
