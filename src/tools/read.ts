import { LIMITS } from '../contract/limits.js';
import { ToolOutcome } from '../contract/tool.js';
import { defineTool } from '../registry/define-tool.js';
import { readFileAt } from '../workspace/read-file.js';
import { answerProblems } from './answer-problems.js';
import { readLines } from './read-lines.js';

/** Room for the notice beneath the lines. */
const NOTICE_BYTES = 1024;

/** Shows lines of a UTF-8 text file (`builtin:read`). What the file says never decides the status. */
export const readTool = defineTool(
  {
    name: 'read',
    description:
      `Read a UTF-8 text file of the workspace. Shows at most ${LIMITS.outputLines} lines or 50 KiB; when there is more, ` +
      'a notice in brackets beneath says with which offset to go on. Binary files cannot be read.',
    riskLevel: 'read_only',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file, relative to the workspace root.' },
        offset: {
          type: 'integer',
          minimum: 1,
          description: 'First line to show, counted from 1. Default 1.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: LIMITS.outputLines,
          description: `Most lines to show. Default ${LIMITS.outputLines}.`,
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
    pathArgs: ['path'],
    idempotent: true,
    parallel: true,
    maxOutputBytes: LIMITS.outputBytes + NOTICE_BYTES,
  } as const,
  answerProblems(
    async ({ path, offset: first = 1, limit: lines = LIMITS.outputLines }, { workspace, signal }) => {
      const shown = await readFileAt(workspace, path, (file) =>
        readLines(file, { first, lines, bytes: LIMITS.outputBytes }, signal),
      );
      const { text, last, total, cutFrom } = shown;
      if (total === 0) return ToolOutcome.ok('[The file is empty.]');
      if (first > total)
        return ToolOutcome.error(`The file has ${total} lines; offset ${first} is past its end.`);
      const notices = [
        ...(cutFrom === undefined ? [] : [`Line ${last} has ${cutFrom} bytes; only its beginning is shown.`]),
        ...(last === total ? [] : [`Lines ${first}-${last} of ${total}. Go on with offset ${last + 1}.`]),
      ];
      return ToolOutcome.ok(notices.length === 0 ? text : `${text}\n\n[${notices.join(' ')}]`);
    },
  ),
);
