import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { lock } from 'proper-lockfile';

/**
 * Changes a file of the state directory that only its owner reads, one process after the other; its directory is made
 * when it is not there. Others that stand beside it may be changed beneath the same lock.
 */
export async function whileLocked<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const release = await lock(dirname(path), {
    lockfilePath: `${path}.lock`,
    retries: { retries: 50, factor: 1, minTimeout: 100, maxTimeout: 100 },
  });
  try {
    return await work();
  } finally {
    await release();
  }
}

/** Writes a file of mode 0600 as a whole: a reader sees it before or after, never half of it. */
export async function replacePrivately(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${randomUUID()}`;
  try {
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Whether others than its owner may read or write the file. Rejects when there is none. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  return ((await stat(path)).mode & 0o077) !== 0;
}

/** Whether others than its owner may write the file. Rejects when there is none. */
export async function othersMayWrite(path: string): Promise<boolean> {
  return ((await stat(path)).mode & 0o022) !== 0;
}
