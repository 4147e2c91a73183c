import { join, relative } from 'node:path';
import { shellWord } from '../shell-word.js';
import type { DevJob } from './job.js';

/** In the directory of the run. */
export const HISTORY_FILE = 'history.json';

/**
 * Where to look for what was done, and for the record of it: rows for `columns`.
 *
 * @param serverStays a command that asks the server is of use afterwards.
 */
export function closingRows(job: DevJob, serverStays: boolean): readonly (readonly string[])[] {
  return [
    ['Files', here(job.agent.workspace)],
    ['History', here(join(job.runDir, HISTORY_FILE))],
    ...(serverStays ? [['', `npx holdfast show ${shellWord(job.runId)}`]] : []),
  ];
}

function here(path: string): string {
  return relative(process.cwd(), path) || '.';
}
