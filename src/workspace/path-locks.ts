import type { GuardedPath } from './workspace.js';

/**
 * Makes work on one file serial, by its canonical path, in the order of the calls (`builtin:concurrent`).
 * Holds within one Workspace of one process; between processes `changeFile` compares before it replaces.
 */
export class PathLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `work` when all earlier work on `path` has ended, well or badly. Its result or throw is passed on. */
  async run<T>(path: GuardedPath, work: () => Promise<T>): Promise<T> {
    const result = (this.#tails.get(path) ?? Promise.resolve()).then(work);
    const tail = result.then(ignore, ignore);
    this.#tails.set(path, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(path) === tail) this.#tails.delete(path);
    }
  }
}

function ignore(): void {}
