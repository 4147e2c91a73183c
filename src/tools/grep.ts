import { rgPath } from '@vscode/ripgrep';
import { LIMITS } from '../contract/limits.js';
import { ToolOutcome } from '../contract/tool.js';
import { defineTool } from '../registry/define-tool.js';
import type { Tool } from '../registry/tool.js';
import { guardedRoot, relativePath } from '../workspace/guard.js';
import { kindAt } from '../workspace/kind-at.js';
import { answerProblems } from './answer-problems.js';
import { compileGlob } from './file-glob.js';
import { neverSearched } from './never-searched.js';
import type { SearchQuery } from './ripgrep.js';
import { search, type Found } from './search.js';

const DEFAULT_LIMIT = 100;
/** Room for the notices beneath the hits. */
const NOTICE_BYTES = 1024;
/** Of pattern and glob, characters: what any system takes as one argument of a program. */
const MAX_TEXT = 4000;
/** A name with a line break in it could pass for another file's; the guard refuses it anyway. */
const NAME_WITH_LINE_BREAK = '*\n*';

export interface GrepOptions {
  /** Path of the ripgrep program. Default: the one of @vscode/ripgrep. */
  readonly program?: string;
  /** Makes a signal that ends one search with what it has. Default: after 20 seconds. */
  readonly timeLimit?: () => AbortSignal;
}

/** Searches the files of the workspace (`builtin:grep`). Secret files are never searched, nor links followed. */
export function createGrepTool(options: GrepOptions = {}): Tool {
  const { program = rgPath, timeLimit = () => AbortSignal.timeout(20_000) } = options;
  return defineTool(
    {
      name: 'grep',
      description:
        'Search the text files of the workspace for a regular expression, line by line. Gives "file:line: text", with files ' +
        'as read accepts them. Files that .gitignore names, binary and secret files are left out; links are not followed.',
      riskLevel: 'read_only',
      parameters: {
        type: 'object',
        properties: {
          pattern: {
            type: 'string',
            minLength: 1,
            maxLength: MAX_TEXT,
            description: 'A regular expression of ripgrep, without line breaks.',
          },
          path: { type: 'string', description: 'File or directory to search. Default: the whole workspace.' },
          glob: {
            type: 'string',
            minLength: 1,
            maxLength: MAX_TEXT,
            description: 'Only files that match this, such as *.ts or src/**/*.md.',
          },
          ignoreCase: { type: 'boolean', description: 'Default false.' },
          literal: { type: 'boolean', description: 'Take the pattern as text. Default false.' },
          context: {
            type: 'integer',
            minimum: 0,
            maximum: 20,
            description: 'Lines around each hit. Default 0.',
          },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: 1000,
            description: `Most hits. Default ${DEFAULT_LIMIT}.`,
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
    answerProblems(async (args, { workspace, signal }) => {
      const {
        pattern,
        path = guardedRoot(workspace),
        glob,
        ignoreCase = false,
        literal = false,
        context = 0,
      } = args;
      if (/[\n\r\0]/.test(pattern)) {
        return ToolOutcome.error('The pattern has a line break or NUL in it. Search for one line of text.');
      }
      if (glob?.includes('\0')) return ToolOutcome.error('The glob has NUL in it. Mend it, or leave it out.');
      await kindAt(workspace, path);
      const query: SearchQuery = {
        ...{ pattern, literal, ignoreCase, context },
        path: relativePath(workspace, path),
        never: [...neverSearched(workspace.protectedPaths), NAME_WITH_LINE_BREAK],
      };
      const run = {
        program,
        signal: AbortSignal.any([signal, timeLimit()]),
        limit: args.limit ?? DEFAULT_LIMIT,
        // Not ripgrep's own --glob, which wins over .gitignore.
        ...(glob !== undefined && { matches: compileGlob(glob) }),
      };
      const found = await search(workspace, query, run);
      signal.throwIfAborted();
      return answer(found);
    }),
  );
}

export const grepTool = createGrepTool();

function answer({ lines, stopped, end }: Found): ToolOutcome {
  const { unreadable, text: complaint } = end?.complaints ?? { unreadable: 0, text: '' };
  if (end?.exitCode === 2 && lines.length === 0 && unreadable === 0) {
    return ToolOutcome.error(refusalOf(complaint));
  }
  const notices = [
    ...(stopped === 'hits' ? ['More hits were left out. Narrow pattern, path or glob, or raise limit.'] : []),
    ...(stopped === 'bytes' ? ['More output was left out. Narrow pattern, path or glob.'] : []),
    ...(stopped === 'killed'
      ? ['Partial result: the search was ended, out of time or memory. Narrow path or glob.']
      : []),
    ...(unreadable > 0 ? [`Places that could not be read and were not searched: ${unreadable}.`] : []),
  ];
  const text = lines.length === 0 ? 'No hits.' : lines.join('\n');
  return ToolOutcome.ok(notices.length === 0 ? text : `${text}\n\n[${notices.join(' ')}]`);
}

/** What ripgrep refused, without the pattern. */
function refusalOf(complaint: string): string {
  if (complaint.includes('regex parse error')) {
    const reason = /^error: (.*)$/m.exec(complaint)?.[1] ?? 'it cannot be parsed';
    return `The pattern is no valid regular expression: ${reason}. Mend it, or set literal to search for it as text.`;
  }
  return 'The search could not be made with this pattern. Simplify it, or set literal.';
}
