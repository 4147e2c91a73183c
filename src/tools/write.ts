import { ToolOutcome } from '../contract/tool.js';
import { defineTool } from '../registry/define-tool.js';
import { changeFile } from '../workspace/change-file.js';
import { relativePath } from '../workspace/guard.js';
import { answerProblems } from './answer-problems.js';
import { previewWrite } from './preview-write.js';
import { requireBasis } from './require-basis.js';

/** Makes or replaces a file, all or nothing (`builtin:write`). */
export const writeTool = defineTool(
  {
    name: 'write',
    description:
      'Write a file of the workspace: a new one, or all of an existing one. Directories that are missing are made. ' +
      'To change a part of a file use edit.',
    riskLevel: 'mutation',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file, relative to the workspace root.' },
        content: { type: 'string', description: 'All of the new content, written as UTF-8 as it is.' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    pathArgs: ['path'],
  } as const,
  answerProblems(async ({ path, content }, { workspace, signal, basis }) => {
    const bytes = Buffer.from(content);
    const { created } = await changeFile(workspace, path, {
      makeParents: true,
      next: async (current) => {
        signal.throwIfAborted();
        await requireBasis(current, basis);
        return bytes;
      },
    });
    const did = created ? 'Made' : 'Replaced';
    return ToolOutcome.ok(`${did} ${relativePath(workspace, path)} (${bytes.length} bytes).`);
  }),
  { preview: previewWrite },
);
