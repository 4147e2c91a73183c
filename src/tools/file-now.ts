import { createHash } from 'node:crypto';
import type { Digest } from '../contract/json.js';
import type { PreviewContext } from '../registry/tool.js';
import { errnoOf, FileProblem } from '../workspace/file-problem.js';
import { readFileAt } from '../workspace/read-file.js';
import type { GuardedPath } from '../workspace/workspace.js';

/** Largest file that is taken into memory for a preview, bytes. */
const MAX_BYTES = 5 * 1024 * 1024;

/** In the place of a digest where there is no file. No content has it, as far as anybody knows. */
export const NO_FILE: Digest = '0'.repeat(64);

export type FileNow = {
  /** SHA-256 of the bytes, however many; NO_FILE when there is no regular file or it cannot be read. */
  readonly basis: Digest;
} & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'opaque'; readonly size: number; readonly why: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unusable'; readonly why: string }
);

/**
 * The file as it is now, with a digest that tells later whether it changed (`hitl:preview`). Text keeps its byte
 * order mark and its line ends. Throws PathChangedError, and what `signal` was aborted with.
 */
export async function fileNow({ workspace, signal }: PreviewContext, path: GuardedPath): Promise<FileNow> {
  try {
    return await readFileAt(workspace, path, async (file) => {
      const hash = createHash('sha256');
      const kept: Buffer[] = [];
      let size = 0;
      for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
        signal.throwIfAborted();
        hash.update(chunk);
        size += chunk.length;
        if (size <= MAX_BYTES) kept.push(chunk);
      }
      const basis = hash.digest('hex');
      if (size > MAX_BYTES) return { basis, kind: 'opaque', size, why: 'is larger than 5 MiB' };
      return { basis, ...textOf(Buffer.concat(kept)) };
    });
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    if (errnoOf(error.cause) === 'ENOENT') return { basis: NO_FILE, kind: 'absent' };
    return { basis: NO_FILE, kind: 'unusable', why: error.message };
  }
}

function textOf(
  bytes: Buffer,
): { kind: 'text'; text: string } | { kind: 'opaque'; size: number; why: string } {
  const opaque = { kind: 'opaque', size: bytes.length } as const;
  if (bytes.includes(0)) return { ...opaque, why: 'is binary' };
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { ...opaque, why: 'is not UTF-8 text' };
  }
}
