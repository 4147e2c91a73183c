import { lstat } from 'node:fs/promises';
import { FileProblem } from './file-problem.js';
import { inParentOf } from './held-directory.js';
import { PathChangedError } from './path-changed-error.js';
import type { GuardedPath, Workspace } from './workspace.js';

/** Whether a file or a directory stands at the path. Throws as `readFileAt` does. */
export async function kindAt(workspace: Workspace, path: GuardedPath): Promise<'file' | 'directory'> {
  if (path === workspace.root) return 'directory';
  return inParentOf(workspace, path, false, async (parent, name) => {
    const found = await lstat(parent.child(name));
    await parent.recheck();
    if (found.isSymbolicLink()) throw new PathChangedError();
    if (found.isDirectory()) return 'directory';
    if (found.isFile()) return 'file';
    throw new FileProblem('This is neither a file nor a directory.');
  });
}
