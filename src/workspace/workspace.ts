import type { Digest } from '../contract/json.js';
import type { PathLocks } from './path-locks.js';

declare const guarded: unique symbol;

/**
 * A canonical absolute path inside a workspace. Only the guard mints one; file operations take nothing else,
 * and check again when they open it (`path:at-use`).
 */
export type GuardedPath = string & { readonly [guarded]: 'GuardedPath' };

/** A workspace, resolved once to its canonical root (`path:workspace`). Only `resolveWorkspace` makes one. */
export interface Workspace {
  /** Canonical absolute path. Never shown to a model, a log or a client. */
  readonly root: string;
  /** SHA-256 of the root's path; what the manifest records. */
  readonly digest: Digest;
  /** Gitignore-style globs, relative to the root, that may not be written (`path:protected`). */
  readonly protectedPaths: readonly string[];
  /** Makes changes of one file serial (`builtin:concurrent`). */
  readonly locks: PathLocks;
  /**
   * How a name is reached beneath a directory that is held open. `handle`: through /proc/self/fd, so that no
   * link swapped in higher up is followed (Linux). `name`: by its path, checked again before any effect; who
   * swaps at the very moment of use can still win.
   */
  readonly beneath: 'handle' | 'name';
}
