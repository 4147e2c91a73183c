import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, type FileHandle } from 'node:fs/promises';
import { asFileProblem, errnoOf, FileProblem } from './file-problem.js';
import { relativePath } from './guard.js';
import { PathChangedError } from './path-changed-error.js';
import type { GuardedPath, Workspace } from './workspace.js';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A directory of a workspace, held open while something in it is used. */
export class HeldDirectory {
  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    private readonly beneath: Workspace['beneath'],
  ) {}

  static async open(path: string, at: string, beneath: Workspace['beneath']): Promise<HeldDirectory> {
    return new HeldDirectory(path, await open(at, DIRECTORY), beneath);
  }

  /** What to give the file system to reach `name` in here. Add O_NOFOLLOW: `name` itself may be a link. */
  child(name: string): string {
    return this.beneath === 'handle' ? `/proc/self/fd/${this.handle.fd}/${name}` : `${this.path}/${name}`;
  }

  /** Throws PathChangedError unless the canonical path still leads to this very directory, without a link. */
  async recheck(): Promise<void> {
    try {
      const [real, named, held] = await Promise.all([
        realpath(this.path),
        lstat(this.path, { bigint: true }),
        this.handle.stat({ bigint: true }),
      ]);
      if (real === this.path && named.dev === held.dev && named.ino === held.ino) return;
    } catch (cause) {
      throw new PathChangedError({ cause });
    }
    throw new PathChangedError();
  }

  async enter(name: string, make: boolean): Promise<HeldDirectory> {
    const into = () => HeldDirectory.open(`${this.path}/${name}`, this.child(name), this.beneath);
    if (!make) return into();
    try {
      return await into();
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
    await this.recheck();
    await mkdir(this.child(name)).catch((error: unknown) => {
      if (errnoOf(error) !== 'EEXIST') throw error;
    });
    return into();
  }

  /** Makes a new or renamed name in here outlast a crash of the machine. */
  async sync(): Promise<void> {
    await this.handle.sync();
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

/**
 * Holds the directory of `path` open while `use` runs, reached from the root component by component without
 * following a link (`path:at-use`). With `make`, directories that are missing are made on the way.
 *
 * Throws PathChangedError when a component is no longer the directory that the guard saw, FileProblem for
 * what a model can mend. System errors that `use` throws become FileProblem too.
 */
export async function inParentOf<T>(
  workspace: Workspace,
  path: GuardedPath,
  make: boolean,
  use: (parent: HeldDirectory, name: string) => Promise<T>,
): Promise<T> {
  const names = relativePath(workspace, path).split('/');
  const name = names.pop();
  if (name === undefined || name === '.')
    throw new FileProblem('This is the workspace itself. Name a file in it.');
  try {
    const parent = await descend(workspace, names, make);
    try {
      return await use(parent, name);
    } finally {
      await parent.close();
    }
  } catch (error) {
    throw asFileProblem(error);
  }
}

async function descend(
  workspace: Workspace,
  names: readonly string[],
  make: boolean,
): Promise<HeldDirectory> {
  try {
    let directory = await HeldDirectory.open(workspace.root, workspace.root, workspace.beneath);
    for (const name of names) {
      const outer = directory;
      try {
        directory = await outer.enter(name, make);
      } finally {
        await outer.close();
      }
    }
    return directory;
  } catch (error) {
    throw asChange(error);
  }
}

/** What O_NOFOLLOW and O_DIRECTORY say of a link: the guard's path had none. */
export function asChange(error: unknown): unknown {
  const code = errnoOf(error);
  return code === 'ELOOP' || code === 'ENOTDIR' ? new PathChangedError({ cause: error }) : error;
}
