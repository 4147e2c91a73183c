import { LIMITS } from '../contract/limits.js';
import { guardPath } from '../workspace/guard.js';
import { spellingFault } from '../workspace/path-spelling.js';
import { forbidden } from '../workspace/protected-paths.js';
import type { Workspace } from '../workspace/workspace.js';
import { runRipgrep, type SearchEnd } from './ripgrep-process.js';
import type { SearchRun } from './search.js';

const NUL = 0;
const ENDED: SearchEnd = { exitCode: null, complaints: { unreadable: 0, text: '' } };

export interface FileQuery {
  /** Takes paths relative to the root. */
  readonly matches: (path: string) => boolean;
  /** Where to look, relative to the root; `.` is the root. */
  readonly path: string;
  /** Look into `.git` too. */
  readonly git: boolean;
}

export interface FoundFiles {
  /** Relative to the root, as read takes them. */
  readonly paths: readonly string[];
  /** Files left out because no path here can spell their names. */
  readonly unspelt: number;
  /** Why the search ended before its end. */
  readonly stopped?: 'limit' | 'bytes' | 'killed';
  /** How ripgrep ended; absent when it was stopped for `limit` or `bytes`. */
  readonly end?: SearchEnd;
}

/** Lists files that match, in the order of ripgrep's paths, and only those that the guard lets be read. */
export async function findFiles(workspace: Workspace, query: FileQuery, run: SearchRun): Promise<FoundFiles> {
  const { program, signal, limit } = run;
  const isSecret = forbidden(workspace.protectedPaths, 'read');
  const paths: string[] = [];
  let bytes = 0;
  let unspelt = 0;
  const files = runRipgrep({
    ...{ program, root: workspace.root, path: query.path, delimiter: NUL, parse: pathOf, signal },
    flags: ['--files', ...(query.git ? [] : ['--glob=!.git'])],
  });
  try {
    for (let next = await files.next(); ; next = await files.next()) {
      if (next.done === true) {
        const end = next.value;
        return { paths, unspelt, end, ...(end.exitCode === null && { stopped: 'killed' }) };
      }
      const { path, isUtf8 } = next.value;
      if (!query.matches(path) || isSecret(path)) continue;
      if (!isUtf8 || spellingFault(path) !== undefined) {
        unspelt += 1;
        continue;
      }
      const verdict = await guardPath(workspace, path, 'read');
      if (!verdict.allowed || verdict.relative !== path) continue;
      bytes += Buffer.byteLength(path) + 1;
      if (paths.length === limit) return { paths, unspelt, stopped: 'limit' };
      if (bytes > LIMITS.outputBytes) return { paths, unspelt, stopped: 'bytes' };
      paths.push(path);
    }
  } finally {
    await files.return(ENDED);
  }
}

interface NamedFile {
  readonly path: string;
  /** False: bytes of its name are shown as U+FFFD. */
  readonly isUtf8: boolean;
}

function pathOf(record: Buffer): NamedFile {
  const path = record.toString();
  return { path: path.replace(/^\.\//, ''), isUtf8: Buffer.from(path).equals(record) };
}
