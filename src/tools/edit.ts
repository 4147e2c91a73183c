import type { FileHandle } from 'node:fs/promises';
import { ToolOutcome } from '../contract/tool.js';
import { defineTool } from '../registry/define-tool.js';
import { changeFile } from '../workspace/change-file.js';
import { FileProblem } from '../workspace/file-problem.js';
import { relativePath } from '../workspace/guard.js';
import { answerProblems } from './answer-problems.js';
import { applyEdits } from './apply-edits.js';
import { previewEdit } from './preview-edit.js';
import { requireBasis } from './require-basis.js';

/** Largest file that edit takes into memory, bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Replaces text in a file, all edits or none (`builtin:edit`). */
export const editTool = defineTool(
  {
    name: 'edit',
    description:
      'Replace text in a file of the workspace. Each oldText must stand in the file exactly once, blanks and line ' +
      'breaks included, and all are matched against the file as it is now, so edits must not overlap. ' +
      'newText is inserted as it is. If one edit cannot be made, none is.',
    riskLevel: 'mutation',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file, relative to the workspace root.' },
        edits: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            properties: {
              oldText: {
                type: 'string',
                minLength: 1,
                description: 'Text that stands in the file exactly once.',
              },
              newText: { type: 'string', description: 'What takes its place; empty to delete it.' },
            },
            required: ['oldText', 'newText'],
            additionalProperties: false,
          },
        },
      },
      required: ['path', 'edits'],
      additionalProperties: false,
    },
    pathArgs: ['path'],
  } as const,
  answerProblems(async ({ path, edits }, { workspace, signal, basis }) => {
    let lines: readonly number[] = [];
    await changeFile(workspace, path, {
      makeParents: false,
      next: async (current) => {
        signal.throwIfAborted();
        await requireBasis(current, basis);
        if (current === undefined) throw new FileProblem('No such file. Use write to make a new one.');
        const edited = applyEdits(await textOf(current), edits);
        lines = edited.lines;
        return Buffer.from(edited.text);
      },
    });
    const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
    return ToolOutcome.ok(`Edited ${relativePath(workspace, path)} at ${where}.`);
  }),
  { preview: previewEdit },
);

/** With its byte order mark, so that it is kept. */
async function textOf(file: FileHandle): Promise<string> {
  if ((await file.stat()).size > MAX_BYTES)
    throw new FileProblem('The file is larger than 64 MiB, too large for edit.');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.readFile());
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new FileProblem('This file is not UTF-8 text, so it cannot be edited here. Nothing was changed.', {
      cause,
    });
  }
}
