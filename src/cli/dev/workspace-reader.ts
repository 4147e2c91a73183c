import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadWorkspaceFile } from './change-preview.js';

/** A diff of more than this helps nobody. */
const MOST_BYTES = 1024 * 1024;

/** Reads text files of a workspace, for previews. */
export function workspaceReader(root: string): ReadWorkspaceFile {
  return async (relative) => {
    try {
      // A pipe without a writer would never open otherwise.
      const file = await open(join(root, relative), constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const facts = await file.stat();
        if (!facts.isFile() || facts.size > MOST_BYTES) return 'unreadable';
        return { text: new TextDecoder('utf-8', { fatal: true }).decode(await file.readFile()) };
      } finally {
        await file.close();
      }
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'absent' : 'unreadable';
    }
  };
}
