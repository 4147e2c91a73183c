import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import { lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { withFileLock } from './file-lock.js';
import { errnoOf, FileProblem } from './file-problem.js';
import { asChange, inParentOf, type HeldDirectory } from './held-directory.js';
import { requireRegular } from './read-file.js';
import type { GuardedPath, Workspace } from './workspace.js';

/** Proves that the file may be written, though a new one replaces it. Never waits for a FIFO. */
const EXISTING = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const FRESH = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export interface FileChange {
  /** Make the directories that are missing. */
  readonly makeParents: boolean;
  /** The new bytes, from the file as it is, or undefined when there is none. A throw leaves all as it was. */
  readonly next: (current: FileHandle | undefined) => Promise<Uint8Array>;
}

/**
 * Replaces a file's content or makes a new file, all or nothing: a temporary file in the same directory,
 * synced, then renamed over the name (`builtin:write`). Permission bits are kept, and the owner where the
 * system lets us. Changes of one path are serial, and comparing and replacing are one step for all workers of
 * the machine (`builtin:concurrent`): a file that another process changed while `next` ran is left alone, and
 * FileProblem says so. PathChangedError as in `readFileAt`.
 */
export async function changeFile(
  workspace: Workspace,
  path: GuardedPath,
  change: FileChange,
): Promise<{ readonly created: boolean }> {
  return workspace.locks.run(path, () =>
    inParentOf(workspace, path, change.makeParents, async (parent, name) => {
      const file = await openExisting(parent, name);
      try {
        const before = await file?.stat({ bigint: true });
        await replace(parent, name, await change.next(file), before);
        return { created: file === undefined };
      } finally {
        await file?.close();
      }
    }),
  );
}

async function openExisting(parent: HeldDirectory, name: string): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(parent.child(name), EXISTING);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw asChange(error);
  }
  try {
    await requireRegular(file);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function replace(
  parent: HeldDirectory,
  name: string,
  content: Uint8Array,
  before: BigIntStats | undefined,
): Promise<void> {
  await parent.recheck();
  const temporary = parent.child(`.holdfast-${randomUUID()}.tmp`);
  try {
    const file = await open(temporary, FRESH, before === undefined ? 0o666 : 0o600);
    try {
      await file.writeFile(content);
      if (before !== undefined) await keepModeAndOwner(file, before);
      await file.sync();
    } finally {
      await file.close();
    }
    await parent.recheck();
    await withFileLock(parent, name, async () => {
      await requireUnchanged(parent.child(name), before);
      await rename(temporary, parent.child(name));
    });
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await parent.sync();
}

/** The mode comes last, since a change of owner clears bits of it; set-user-id never passes to another owner. */
async function keepModeAndOwner(file: FileHandle, before: BigIntStats): Promise<void> {
  const ownerKept = await file.chown(Number(before.uid), Number(before.gid)).then(
    () => true,
    () => false,
  );
  await file.chmod(Number(before.mode & (ownerKept ? 0o7777n : 0o777n)));
}

async function requireUnchanged(at: string, before: BigIntStats | undefined): Promise<void> {
  const now = await lstat(at, { bigint: true }).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  const same =
    now?.dev === before?.dev &&
    now?.ino === before?.ino &&
    now?.size === before?.size &&
    now?.mtimeNs === before?.mtimeNs;
  if (!same)
    throw new FileProblem('Somebody else changed the file meanwhile, so nothing was written. Read it again.');
}
