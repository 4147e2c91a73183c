import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RiskLevel } from '../../src/contract/tool.js';
import { defineTool } from '../../src/registry/define-tool.js';
import { ToolOutcome } from '../../src/contract/tool.js';
import type { Tool } from '../../src/registry/tool.js';

/** Appends a line to `effects.txt` in the workspace: what ran, and how often, can be counted. */
export function effectTool(name: string, riskLevel: RiskLevel, extra: Partial<Tool['def']> = {}): Tool {
  return defineTool(
    {
      name,
      description: 'Appends a line to effects.txt.',
      riskLevel,
      parameters: {
        type: 'object',
        required: ['line'],
        properties: {
          line: { type: 'string', minLength: 1 },
          note: { type: 'array', items: { type: 'integer' } },
        },
        additionalProperties: false,
      },
      ...extra,
    },
    async (args: { line: string }, { workspace }) => {
      await appendFile(join(workspace.root, 'effects.txt'), `${args.line}\n`);
      return ToolOutcome.ok(`appended ${args.line}`);
    },
  );
}

/** Always says that it failed. */
export const failingTool = defineTool(
  {
    name: 'failing',
    description: 'Fails.',
    riskLevel: 'read_only',
    parameters: { type: 'object', properties: { n: { type: 'integer' } } },
  },
  () => ToolOutcome.error('all good'),
);
