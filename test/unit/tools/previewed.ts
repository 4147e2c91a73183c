import { createHash } from 'node:crypto';
import { guardPath } from '../../../src/workspace/guard.js';
import type { GuardedPath, Workspace } from '../../../src/workspace/workspace.js';

/** The path as the guard hands it to a tool that writes. */
export async function guarded(workspace: Workspace, text: string): Promise<GuardedPath> {
  const verdict = await guardPath(workspace, text, 'write');
  if (!verdict.allowed) throw new Error(verdict.fault);
  return verdict.path;
}

export const never = (): AbortSignal => new AbortController().signal;

export const sha256Of = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');
