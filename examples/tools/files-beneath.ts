import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** Hidden names, so `.git`, `.env` and `.ssh` too, installed packages, and what could pass for several lines. */
const SKIPPED = /^\.|^node_modules$|\p{Cc}/u;

/**
 * Regular files beneath a directory, by paths relative to it, sorted name by name. Links are skipped, and so is a
 * directory that is reached through one, and what cannot be read.
 *
 * @param root canonical.
 */
export async function* filesBeneath(root: string, signal: AbortSignal, within = ''): AsyncGenerator<string> {
  const directory = join(root, within);
  signal.throwIfAborted();
  if ((await realpath(directory).catch(() => undefined)) !== directory) return;
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (SKIPPED.test(entry.name)) continue;
    const path = join(within, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory()) yield* filesBeneath(root, signal, path);
  }
}
