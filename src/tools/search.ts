import { LIMITS } from '../contract/limits.js';
import { guardPath } from '../workspace/guard.js';
import type { Workspace } from '../workspace/workspace.js';
import { ripgrep, type SearchQuery, type SearchRecord } from './ripgrep.js';
import type { SearchEnd } from './ripgrep-process.js';

export interface SearchRun {
  /** Path of the ripgrep program. */
  readonly program: string;
  /** Ends the search with what it has. */
  readonly signal: AbortSignal;
  /** Most hits. */
  readonly limit: number;
  /** Omitted: every file. Asked with a path relative to the workspace. */
  readonly matches?: (path: string) => boolean;
}

export interface Found {
  /** `file:line: text` for a hit, `file-line- text` for a line around it, `--` between groups of lines. */
  readonly lines: readonly string[];
  /** Why the search ended before its end. */
  readonly stopped?: 'hits' | 'bytes' | 'killed';
  /** How ripgrep ended; absent when it was stopped for `hits` or `bytes`. */
  readonly end?: SearchEnd;
}

const ENDED: SearchEnd = { exitCode: null, complaints: { unreadable: 0, text: '' } };

/** Searches, and shows only lines of files that the guard lets be read (`path:protected`). */
export async function search(workspace: Workspace, query: SearchQuery, run: SearchRun): Promise<Found> {
  const { program, signal, limit } = run;
  const lines: string[] = [];
  const early = (stopped: 'hits' | 'bytes'): Found => ({ lines, stopped });
  let bytes = 0;
  let hits = 0;
  let lastHit: SearchRecord | undefined;
  let before: SearchRecord | undefined;
  const mayShow = showable(workspace, run.matches);
  const records = ripgrep(program, workspace.root, query, signal);
  try {
    for (let next = await records.next(); ; next = await records.next()) {
      if (next.done === true) {
        const end = next.value;
        return { lines, end, ...(end.exitCode === null && { stopped: 'killed' }) };
      }
      const record = next.value;
      if (!(await mayShow(record.path))) continue;
      const isHit = record.kind === 'match';
      if (hits === limit && (isHit || !follows(record, lastHit, query.context))) return early('hits');
      const gap = query.context > 0 && before !== undefined && !follows(record, before, 1);
      const added = [...(gap ? ['--'] : []), lineOf(record)];
      bytes += Buffer.byteLength(added.join('\n')) + 1;
      if (bytes > LIMITS.outputBytes || lines.length + added.length > LIMITS.outputLines)
        return early('bytes');
      lines.push(...added);
      before = record;
      if (!isHit) continue;
      hits += 1;
      lastHit = record;
    }
  } finally {
    await records.return(ENDED);
  }
}

function lineOf({ path, line, kind, text }: SearchRecord): string {
  return kind === 'match' ? `${path}:${line}: ${text}` : `${path}-${line}- ${text}`;
}

/** The guard's word on each file that a hit names: inside, no link, not secret. */
function showable(workspace: Workspace, matches: SearchRun['matches']): (path: string) => Promise<boolean> {
  let last: { readonly path: string; readonly shown: boolean } | undefined;
  return async (path) => {
    if (last?.path !== path) {
      last = { path, shown: (matches?.(path) ?? true) && (await mayRead(workspace, path)) };
    }
    return last.shown;
  };
}

async function mayRead(workspace: Workspace, path: string): Promise<boolean> {
  const verdict = await guardPath(workspace, path, 'read');
  return verdict.allowed && verdict.relative === path;
}

function follows(record: SearchRecord, hit: SearchRecord | undefined, within: number): boolean {
  return hit?.path === record.path && record.line > hit.line && record.line <= hit.line + within;
}
