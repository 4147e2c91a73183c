import { join, relative } from 'node:path';
import type { TemporalAccess } from '../../dev/connect-temporal.js';
import type { DevJob } from './job.js';

/** In the directory of the run. */
export const HISTORY_FILE = 'history.json';

/** Where to look for what was done, and for the record of it: rows for `columns`. */
export function closingRows(
  job: DevJob,
  { connection, namespace }: TemporalAccess,
): readonly (readonly string[])[] {
  const show = `temporal workflow show --workflow-id ${job.runId}`;
  return [
    ['Files', here(job.agent.workspace)],
    ['History', here(join(job.runDir, HISTORY_FILE))],
    ['', `while the server runs: ${show} --address ${connection.address} --namespace ${namespace}`],
  ];
}

function here(path: string): string {
  return relative(process.cwd(), path) || '.';
}
