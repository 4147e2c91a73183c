import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { PreconditionChangedError } from '../registry/precondition-changed-error.js';
import { NO_FILE } from './file-now.js';

/**
 * Throws PreconditionChangedError unless the open file, or its absence, is the one that a preview was computed
 * from, as `fileNow` names it. Leaves the position in the file where it is. Without a basis nothing is asked.
 */
export async function requireBasis(file: FileHandle | undefined, basis: string | undefined): Promise<void> {
  if (basis === undefined) return;
  if ((file ? await digestOf(file) : NO_FILE) !== basis) throw new PreconditionChangedError();
}

async function digestOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const chunks = file.createReadStream({ autoClose: false, start: 0 }) as AsyncIterable<Buffer>;
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}
