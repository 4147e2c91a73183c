import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { asFileProblem, errnoOf, FileProblem } from './file-problem.js';
import { relativePath } from './guard.js';
import { HeldDirectory, inParentOf } from './held-directory.js';
import { PathChangedError } from './path-changed-error.js';
import { spellingFault } from './path-spelling.js';
import { forbidden } from './protected-paths.js';
import type { GuardedPath, Workspace } from './workspace.js';

/** Most entries looked at: what memory and time are bounded by. */
const MAX_ENTRIES = 100_000;
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
  /** False when there are more than 100,000 entries: then any of them may be missing. */
  readonly complete: boolean;
}

/**
 * The entries of one directory, reached and held as every file is (`path:at-use`). Follows no link and opens no
 * entry. Throws PathChangedError when a link was swapped in since the guard, FileProblem when there is no such
 * directory or it cannot be read.
 */
export async function listDirectory(workspace: Workspace, path: GuardedPath): Promise<Listing> {
  if (path === workspace.root) {
    try {
      return await listAndClose(workspace, path, await HeldDirectory.open(path, path, workspace.beneath));
    } catch (error) {
      throw asFileProblem(error);
    }
  }
  return inParentOf(workspace, path, false, async (parent, name) =>
    listAndClose(workspace, path, await enter(parent, name)),
  );
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

async function listAndClose(workspace: Workspace, path: GuardedPath, held: HeldDirectory): Promise<Listing> {
  try {
    const listing = await list(workspace, path, held);
    await held.recheck();
    return listing;
  } finally {
    await held.close();
  }
}

async function list(workspace: Workspace, path: GuardedPath, held: HeldDirectory): Promise<Listing> {
  const isSecret = forbidden(workspace.protectedPaths, 'read');
  const prefix = path === workspace.root ? '' : `${relativePath(workspace, path)}/`;
  const entries: DirectoryEntry[] = [];
  let seen = 0;
  let unspelt = 0;
  let secret = 0;
  for await (const entry of await opendir(held.child('.'), { bufferSize: BATCH })) {
    seen += 1;
    if (seen > MAX_ENTRIES) break;
    const entryPath = prefix + entry.name;
    if (spellingFault(entryPath) !== undefined || !(await isUtf8(held, entry.name))) unspelt += 1;
    else if (isSecret(entryPath)) secret += 1;
    else entries.push({ path: entryPath, kind: kindOf(entry) });
  }
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { entries, unspelt, secret, complete: seen <= MAX_ENTRIES };
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
