import { createHash, randomUUID } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, rename, unlink } from 'node:fs/promises';
import { errnoOf, FileProblem } from './file-problem.js';
import type { HeldDirectory } from './held-directory.js';

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** It is held for the time of two system calls, so an older one is left over from a process that was killed. */
const STALE_MS = 10_000;
const WAIT_MS = 30_000;
const RETRY_MS = 5;

/**
 * Runs `work` while no other process, of those that come here too, does so for the same file: what it compares
 * is still so when it acts (`builtin:concurrent`). The lock is a file beside the other one, gone afterwards. Waits
 * up to 30 s for it, then throws FileProblem.
 */
export async function withFileLock<T>(
  parent: HeldDirectory,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const lock = parent.child(`.holdfast-${createHash('sha256').update(name).digest('hex').slice(0, 32)}.lock`);
  const deadline = Date.now() + WAIT_MS;
  while (!(await take(lock))) {
    if (Date.now() > deadline) {
      throw new FileProblem(
        'Another process keeps changing the file, so nothing was written. Try again later.',
      );
    }
    await removeStale(parent, lock);
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY_MS);
    });
  }
  try {
    return await work();
  } finally {
    await unlink(lock).catch(ignoreMissing);
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, NEW, 0o600)).close();
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Moved away before it is removed, to see that it is still the one that was found: another may have come. */
async function removeStale(parent: HeldDirectory, lock: string): Promise<void> {
  const found = await statOf(lock);
  if (!found || Date.now() - Number(found.mtimeMs) < STALE_MS) return;
  const aside = parent.child(`.holdfast-${randomUUID()}.tmp`);
  try {
    await rename(lock, aside);
  } catch (error) {
    return ignoreMissing(error);
  }
  const moved = await statOf(aside);
  if (moved?.ino === found.ino && moved.mtimeNs === found.mtimeNs) await unlink(aside).catch(ignoreMissing);
  else await rename(aside, lock).catch(ignoreMissing);
}

function statOf(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): undefined {
  if (errnoOf(error) !== 'ENOENT') throw error;
  return undefined;
}
