import { isUtf8 } from 'node:buffer';
import { rgPath } from '@vscode/ripgrep';
import { LIMITS } from '../contract/limits.js';
import { ToolOutcome } from '../contract/tool.js';
import { defineTool } from '../registry/define-tool.js';
import type { Tool } from '../registry/tool.js';
import { FileProblem } from '../workspace/file-problem.js';
import { guardedRoot, guardPath, relativePath } from '../workspace/guard.js';
import { kindAt } from '../workspace/kind-at.js';
import type { Workspace } from '../workspace/workspace.js';
import { answerProblems } from './answer-problems.js';
import { compileGlob } from './file-glob.js';
import { neverSearched } from './never-searched.js';
import { runRipgrep } from './ripgrep-process.js';

const DEFAULT_LIMIT = 1000;
const NUL = 0x00;
/** Room for the notices beneath the names. */
const NOTICE_BYTES = 1024;
const MAX_PATTERN = 1000;

export interface FindOptions {
  /** Path of the ripgrep program. Default: the one of @vscode/ripgrep. */
  readonly program?: string;
  /** Makes a signal that ends one search with what it has. Default: after 20 seconds. */
  readonly timeLimit?: () => AbortSignal;
}

/** Finds files by name (`builtin:find-ls`). What .gitignore names, secret files and links are left out. */
export function createFindTool(options: FindOptions = {}): Tool {
  const { program = rgPath, timeLimit = () => AbortSignal.timeout(20_000) } = options;
  return defineTool(
    {
      name: 'find',
      description:
        'Find files of the workspace by name, sorted, with paths as read accepts them. The pattern is a glob: *.ts at any ' +
        'depth, with a slash, as src/**/*.ts, from the searched directory. Files that .gitignore names and secret files are ' +
        'left out; links are neither shown nor followed.',
      riskLevel: 'read_only',
      parameters: {
        type: 'object',
        properties: {
          pattern: { type: 'string', minLength: 1, maxLength: MAX_PATTERN },
          path: { type: 'string', description: 'Directory to search. Default: the whole workspace.' },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: LIMITS.outputLines,
            description: `Most files. Default ${DEFAULT_LIMIT}.`,
          },
        },
        required: ['pattern'],
        additionalProperties: false,
      },
      pathArgs: ['path'],
      idempotent: true,
      parallel: true,
      maxOutputBytes: LIMITS.outputBytes + NOTICE_BYTES,
    } as const,
    answerProblems(async ({ pattern, path, limit = DEFAULT_LIMIT }, { workspace, signal }) => {
      const directory = path ?? guardedRoot(workspace);
      if ((await kindAt(workspace, directory)) === 'file') {
        throw new FileProblem('This is a file. Name a directory to look in, or use read.');
      }
      const wanted = { directory: relativePath(workspace, directory), matches: compileGlob(pattern), limit };
      const found = await find(workspace, program, wanted, AbortSignal.any([signal, timeLimit()]));
      signal.throwIfAborted();
      return ToolOutcome.ok(textOf(found));
    }),
  );
}

export const findTool = createFindTool();

interface Wanted {
  /** Relative to the root; `.` is the root. */
  readonly directory: string;
  readonly matches: (path: string) => boolean;
  readonly limit: number;
}

interface Found {
  readonly paths: readonly string[];
  readonly stopped?: 'limit' | 'bytes' | 'killed';
  readonly unreadable: number;
}

async function find(
  workspace: Workspace,
  program: string,
  { directory, matches, limit }: Wanted,
  signal: AbortSignal,
): Promise<Found> {
  const prefix = directory === '.' ? '' : `${directory}/`;
  const paths: string[] = [];
  let bytes = 0;
  const records = runRipgrep({
    program,
    root: workspace.root,
    flags: [
      '--files',
      '--glob=!.git',
      ...neverSearched(workspace.protectedPaths).map((glob) => `--iglob=!${glob}`),
    ],
    path: directory,
    delimiter: NUL,
    // No path here can spell another name.
    parse: (record) => (isUtf8(record) ? record.toString().replace(/^\.\//, '') : undefined),
    signal,
  });
  for (let next = await records.next(); ; next = await records.next()) {
    if (next.done === true) {
      const { exitCode, complaints } = next.value;
      return { paths, unreadable: complaints.unreadable, ...(exitCode === null && { stopped: 'killed' }) };
    }
    const path = next.value;
    if (!path.startsWith(prefix) || !matches(path.slice(prefix.length))) continue;
    const verdict = await guardPath(workspace, path, 'read');
    if (!verdict.allowed || verdict.relative !== path) continue;
    bytes += Buffer.byteLength(path) + 1;
    const full = paths.length === limit ? 'limit' : bytes > LIMITS.outputBytes ? 'bytes' : undefined;
    if (full) {
      await records.return({ exitCode: null, complaints: { unreadable: 0, text: '' } });
      return { paths, unreadable: 0, stopped: full };
    }
    paths.push(path);
  }
}

function textOf({ paths, stopped, unreadable }: Found): string {
  const notices = [
    ...(stopped === 'limit'
      ? [`The first ${paths.length} files. Narrow pattern or path, or raise limit.`]
      : []),
    ...(stopped === 'bytes' ? ['More files were left out. Narrow pattern or path.'] : []),
    ...(stopped === 'killed' ? ['Partial result: the search was ended, out of time. Narrow path.'] : []),
    ...(unreadable > 0 ? [`Places that could not be read: ${unreadable}.`] : []),
  ];
  const text = paths.length === 0 ? 'No files.' : paths.join('\n');
  return notices.length === 0 ? text : `${text}\n\n[${notices.join(' ')}]`;
}
