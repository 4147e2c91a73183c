import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { createComparePreview } from '../../activities/compare-preview.js';
import type { ComparePreviewInput, PreviewComparison } from '../../src/contract/preview.js';
import { defineTool } from '../../src/registry/define-tool.js';
import { offeredTool, ToolRegistry } from '../../src/registry/tool-registry.js';
import { resolveWorkspace } from '../../src/workspace/resolve-workspace.js';
import { makeTree } from '../unit/workspace/tree.js';

describe('a comparison that anybody may ask for', () => {
  it.each([
    ['fit', { n: 1 }, 'same', 1],
    ['do not fit its schema', { n: 'one' }, 'changed', 0],
    ['are more than it takes', { n: 1, path: '/etc/passwd' }, 'changed', 0],
  ] as const)(
    'runs the preview of a tool only over arguments that %s [hitl:preview]',
    async (_how, args, state, times) => {
      let ran = 0;
      const tool = defineTool(
        {
          name: 'deploy',
          description: 'Deploys.',
          riskLevel: 'dangerous',
          parameters: {
            type: 'object',
            properties: { n: { type: 'integer' } },
            additionalProperties: false,
          },
        },
        () => 'ran',
        {
          preview: () => {
            ran += 1;
            return { kind: 'text', text: 'Deploys.', basis: 'v1' };
          },
        },
      );
      const workspace = await resolveWorkspace(join(await makeTree({ 'ws/a': 'A' }), 'ws'));
      const registry = ToolRegistry.create([offeredTool(tool)], () => undefined);
      const comparePreview = createComparePreview({ agentOf: () => ({ registry, workspace }) });
      const input: ComparePreviewInput = { agent: 'a', tool: 'deploy', riskLevel: 'safe', args, basis: 'v1' };
      const answer = await new MockActivityEnvironment().run<
        [ComparePreviewInput],
        PreviewComparison,
        typeof comparePreview
      >(comparePreview, input);
      expect(answer).toBe(state);
      expect(ran).toBe(times);
    },
  );
});
