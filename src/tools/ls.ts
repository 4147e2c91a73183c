import { LIMITS } from '../contract/limits.js';
import { ToolOutcome } from '../contract/tool.js';
import { defineTool } from '../registry/define-tool.js';
import { guardedRoot } from '../workspace/guard.js';
import { listDirectory, type DirectoryEntry, type Listing } from '../workspace/list-directory.js';
import { answerProblems } from './answer-problems.js';

const DEFAULT_LIMIT = 500;
/** Room for the notices beneath the entries. */
const NOTICE_BYTES = 1024;

/** Lists one directory (`builtin:find-ls`). Links are shown as links and not followed; secret files are not shown. */
export const lsTool = defineTool(
  {
    name: 'ls',
    description:
      'List one directory of the workspace, sorted, with paths as read accepts them. A directory ends in "/"; what is ' +
      'no file has its kind in brackets after a tab: link, FIFO, socket, device. Links are not followed; secret files are ' +
      'left out.',
    riskLevel: 'read_only',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The directory. Default: the workspace root.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: LIMITS.outputLines,
          description: `Most entries. Default ${DEFAULT_LIMIT}.`,
        },
      },
      additionalProperties: false,
    },
    pathArgs: ['path'],
    idempotent: true,
    parallel: true,
    maxOutputBytes: LIMITS.outputBytes + NOTICE_BYTES,
  } as const,
  answerProblems(async ({ path, limit = DEFAULT_LIMIT }, { workspace, signal }) => {
    const listing = await listDirectory(workspace, path ?? guardedRoot(workspace));
    signal.throwIfAborted();
    return ToolOutcome.ok(textOf(listing, limit));
  }),
);

function textOf({ entries, unspelt, secret, complete }: Listing, limit: number): string {
  const lines: string[] = [];
  let bytes = 0;
  for (const line of entries.slice(0, limit).map(lineOf)) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > LIMITS.outputBytes) break;
    lines.push(line);
  }
  const cut = lines.length < entries.length;
  const next = lines.length === limit ? 'Raise limit, or use find.' : 'Use find.';
  const notices = [
    ...(cut ? [`The first ${lines.length} of ${entries.length} entries. ${next}`] : []),
    ...(unspelt > 0 ? [`Entries whose names no tool here can take were left out: ${unspelt}.`] : []),
    ...(complete ? [] : ['Partial result: the directory is too large to list. Use find.']),
  ];
  const empty = secret > 0 ? 'No entries that may be shown.' : 'The directory is empty.';
  const text = entries.length + unspelt === 0 ? empty : lines.join('\n');
  return [text, notices.length === 0 ? '' : `[${notices.join(' ')}]`]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** A tab is in no path that is shown, so no name can pass for a kind. */
function lineOf({ path, kind }: DirectoryEntry): string {
  if (kind === 'file') return path;
  return kind === 'directory' ? `${path}/` : `${path}\t[${kind}]`;
}
