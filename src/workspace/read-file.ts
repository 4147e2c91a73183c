import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { FileProblem } from './file-problem.js';
import { asChange, inParentOf } from './held-directory.js';
import type { GuardedPath, Workspace } from './workspace.js';

/** Never waits for the other end of a FIFO. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a regular file for reading while `use` runs. Throws PathChangedError when a link was swapped in since
 * the guard (`path:at-use`), FileProblem when there is no such file, or it is a directory or a device.
 */
export async function readFileAt<T>(
  workspace: Workspace,
  path: GuardedPath,
  use: (file: FileHandle) => Promise<T>,
): Promise<T> {
  return inParentOf(workspace, path, false, async (parent, name) => {
    const file = await open(parent.child(name), READ).catch((error: unknown) => {
      throw asChange(error);
    });
    try {
      await requireRegular(file);
      await parent.recheck();
      return await use(file);
    } finally {
      await file.close();
    }
  });
}

export async function requireRegular(file: FileHandle): Promise<void> {
  const found = await file.stat();
  if (found.isDirectory()) throw new FileProblem('This is a directory. Name a file in it.');
  if (!found.isFile()) throw new FileProblem('This is not a regular file.');
}
