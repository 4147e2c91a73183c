import { readFile } from 'node:fs/promises';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { dataConverter } from '../../src/data-converter.js';

/** What the process is told by its one argument, as JSON. */
export interface ReplayOrder {
  /** The built bundle. */
  readonly codePath: string;
  /** Files of histories, as historyToJSON writes them. */
  readonly files: readonly { readonly file: string; readonly workflowId: string }[];
}

/** The one message to its parent: for each file in order null, or how today's code differs. */
export type ReplayReport = readonly (string | null)[];

// The whole process: replays histories on the workflow code as built, with no activity, tool or agent at all.
Runtime.install({
  logger: new DefaultLogger('ERROR', () => undefined),
  telemetryOptions: { logging: { filter: 'OFF' } },
});
const { codePath, files } = JSON.parse(process.argv[2] ?? '') as ReplayOrder;
process.send?.(await Promise.all(files.map(({ file, workflowId }) => differenceOf(file, workflowId))));
process.disconnect();

async function differenceOf(file: string, workflowId: string): Promise<string | null> {
  const history = JSON.parse(await readFile(file, 'utf8')) as unknown;
  const options = { workflowBundle: { codePath }, dataConverter };
  return Worker.runReplayHistory(options, history, workflowId).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : 'not an Error'),
  );
}
