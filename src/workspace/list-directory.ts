import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { asFileProblem, errnoOf, FileProblem } from './file-problem.js';
import { relativePath } from './guard.js';
import { asChange, HeldDirectory, inParentOf } from './held-directory.js';
import { PathChangedError } from './path-changed-error.js';
import { spellingFault } from './path-spelling.js';
import { forbidden } from './protected-paths.js';
import type { GuardedPath, Workspace } from './workspace.js';

/** What memory and time are bounded by. */
const MOST_ENTRIES = 100_000;
const BATCH = 1024;

export type EntryKind = 'file' | 'directory' | 'link' | 'FIFO' | 'socket' | 'device' | 'unknown';

export interface DirectoryEntry {
  /** Relative to the workspace root, as the guard takes it. */
  readonly path: string;
  /** Of the entry itself: a link is a link, wherever it leads. */
  readonly kind: EntryKind;
}

export interface Listing {
  /** Those that may be read (`path:protected`), in the order of UTF-16 code units. */
  readonly entries: readonly DirectoryEntry[];
  /** Entries left out because no path here can spell their names. */
  readonly unspelt: number;
  /** Entries left out because they are secret. */
  readonly secret: number;
  /** False when there are more entries than were looked at: then any of them may be missing. */
  readonly complete: boolean;
}

/**
 * The entries of one directory, reached and held as every file is (`path:at-use`). Follows no link and opens no
 * entry. Throws PathChangedError when a link was swapped in since the guard, FileProblem when there is no such
 * directory or it cannot be read.
 *
 * @param most Entries looked at. Default 100,000.
 */
export async function listDirectory(
  workspace: Workspace,
  path: GuardedPath,
  most: number = MOST_ENTRIES,
): Promise<Listing> {
  const listHeld = async (held: HeldDirectory): Promise<Listing> => {
    try {
      const listing = await list(workspace, path, held, most);
      await held.recheck();
      return listing;
    } finally {
      await held.close();
    }
  };
  if (path === workspace.root) {
    try {
      return await listHeld(await HeldDirectory.open(path, path, workspace.beneath));
    } catch (error) {
      throw asFileProblem(asChange(error));
    }
  }
  return inParentOf(workspace, path, false, async (parent, name) => listHeld(await enter(parent, name)));
}

async function enter(parent: HeldDirectory, name: string): Promise<HeldDirectory> {
  try {
    return await parent.enter(name, false);
  } catch (error) {
    if (errnoOf(error) === 'ELOOP') throw new PathChangedError({ cause: error });
    if (errnoOf(error) !== 'ENOTDIR') throw error;
    // What O_DIRECTORY says of a link too.
    const found = await lstat(parent.child(name));
    if (found.isSymbolicLink()) throw new PathChangedError({ cause: error });
    await parent.recheck();
    throw new FileProblem('This is not a directory. Use read for a file.', { cause: error });
  }
}

async function list(
  workspace: Workspace,
  path: GuardedPath,
  held: HeldDirectory,
  most: number,
): Promise<Listing> {
  const isSecret = forbidden(workspace.protectedPaths, 'read');
  const prefix = path === workspace.root ? '' : `${relativePath(workspace, path)}/`;
  const entries: DirectoryEntry[] = [];
  let seen = 0;
  let unspelt = 0;
  let secret = 0;
  for await (const entry of await opendir(held.child('.'), { bufferSize: BATCH })) {
    seen += 1;
    if (seen > most) break;
    const entryPath = prefix + entry.name;
    if (spellingFault(entryPath) !== undefined || !(await isUtf8(held, entry.name))) unspelt += 1;
    else if (isSecret(entryPath)) secret += 1;
    else entries.push({ path: entryPath, kind: kindOf(entry) });
  }
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { entries, unspelt, secret, complete: seen <= most };
}

/** Bytes that are no UTF-8 were read as U+FFFD, and no file has that name then. */
async function isUtf8(held: HeldDirectory, name: string): Promise<boolean> {
  if (!name.includes('\u{FFFD}')) return true;
  return lstat(held.child(name)).then(
    () => true,
    () => false,
  );
}

function kindOf(entry: Dirent): EntryKind {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'directory';
  if (entry.isFile()) return 'file';
  if (entry.isFIFO()) return 'FIFO';
  if (entry.isSocket()) return 'socket';
  return entry.isBlockDevice() || entry.isCharacterDevice() ? 'device' : 'unknown';
}
