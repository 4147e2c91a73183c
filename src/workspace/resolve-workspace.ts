import { access, realpath, stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { HoldfastError } from '../contract/error-codes.js';
import { sha256 } from '../digest.js';
import { PathLocks } from './path-locks.js';
import { DEFAULT_PROTECTED_PATHS } from './protected-paths.js';
import type { Workspace } from './workspace.js';

export interface WorkspaceOptions {
  /** Gitignore-style globs instead of the default ones. Default `DEFAULT_PROTECTED_PATHS`. */
  readonly protectedPaths?: readonly string[];
  /**
   * Where Holdfast keeps its state. When it lies in the workspace it is protected whatever `protectedPaths`
   * says. Omitted: only `.holdfast` of the default list is.
   */
  readonly stateDirectory?: string;
  /** Default: `handle` where /proc/self/fd exists, else `name`. */
  readonly beneath?: Workspace['beneath'];
}

/**
 * Resolves a directory, once, to the workspace that everything is judged by (`path:workspace`). A link on the
 * way to it is followed; a relative one starts at the process's directory. Throws HoldfastError
 * `invalid_workspace` for what is no directory, for the root of the file system, and on Windows, whose paths
 * the guard does not read.
 */
export async function resolveWorkspace(
  directory: string,
  options: WorkspaceOptions = {},
): Promise<Workspace> {
  if (process.platform === 'win32') throw invalid('Run the worker on Linux or macOS, or under WSL.');
  const root = await canonicalDirectory(directory);
  if (root === '/') throw invalid('The root of the file system is no workspace. Name a directory in it.');
  const state = options.stateDirectory === undefined ? [] : await stateGlobs(root, options.stateDirectory);
  return {
    root,
    digest: sha256(root),
    protectedPaths: [...(options.protectedPaths ?? DEFAULT_PROTECTED_PATHS), ...state],
    locks: new PathLocks(),
    beneath: options.beneath ?? ((await exists('/proc/self/fd')) ? 'handle' : 'name'),
  };
}

async function canonicalDirectory(directory: string): Promise<string> {
  let root: string;
  let isDirectory: boolean;
  try {
    root = await realpath(directory);
    isDirectory = (await stat(root)).isDirectory();
  } catch (cause) {
    throw invalid('The workspace does not exist or cannot be reached. Name an existing directory.', cause);
  }
  if (!isDirectory) throw invalid('The workspace is no directory. Name a directory.');
  return root;
}

/** The state directory may not exist yet; then its spelling decides. */
async function stateGlobs(root: string, directory: string): Promise<string[]> {
  const state = await realpath(directory).catch(() => resolve(directory));
  const within = relative(root, state);
  if (within === '' || within === '..' || within.startsWith('../')) return [];
  return [`/${within.replaceAll(/[\\*?[\]!# ]/g, String.raw`\$&`)}/**`];
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function invalid(message: string, cause?: unknown): HoldfastError {
  return new HoldfastError('invalid_workspace', message, { cause });
}
