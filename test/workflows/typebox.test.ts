import { Type as Type034 } from '@sinclair/typebox';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/contract/json.js';
import { digestOf } from '../../src/digest.js';
import { defineTool } from '../../src/registry/define-tool.js';
import { withAgent } from '../harness/agent.js';
import {
  failedWorkflowTasks,
  markers,
  recordedManifest,
  scheduled,
  toldToModel,
} from '../harness/history.js';

const common = { name: 'count', description: 'Counts.', riskLevel: 'read_only' } as const;
const oneX = defineTool(
  {
    ...common,
    parameters: Type.Object(
      {
        words: Type.Array(Type.String()),
        kind: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
      },
      { additionalProperties: false },
    ),
  },
  ({ words, kind = 'a' }) => `${words.length} ${kind}`,
);
const older = defineTool(
  {
    ...common,
    parameters: Type034.Object(
      {
        words: Type034.Array(Type034.String()),
        kind: Type034.Optional(Type034.Union([Type034.Literal('a'), Type034.Literal('b')])),
      },
      { additionalProperties: false },
    ),
  },
  ({ words, kind = 'a' }) => `${words.length} ${kind}`,
);
const count = (args: JsonObject) => ({ calls: [{ tool: 'count', args }] });

/** What both packages build, as JSON. */
const SCHEMA = {
  type: 'object',
  required: ['words'],
  properties: {
    words: { type: 'array', items: { type: 'string' } },
    kind: {
      anyOf: [
        { type: 'string', const: 'a' },
        { type: 'string', const: 'b' },
      ],
    },
  },
  additionalProperties: false,
};

describe('a tool whose schema TypeBox built', () => {
  it.each([
    { tool: oneX, from: 'typebox' },
    { tool: older, from: '@sinclair/typebox' },
  ])(
    'is recorded as plain JSON, validated by it, and run: $from [tool:typebox] [schema:before-handler]',
    async ({ tool }) => {
      const good = { words: ['x', 'y'], kind: 'b' };
      const script = [count(good), count({ words: [1] }), count({ words: [], kynd: 'a' }), { text: 'done' }];
      await withAgent({ customTools: [tool], script }, async (agent) => {
        const runId = await agent.start();
        await agent.client.result(runId);
        const history = await agent.history(runId);
        const recorded = recordedManifest(history).manifest.tools.at(-1);
        expect(recorded).toMatchObject({ name: 'count', source: 'custom', dialect: '2020-12' });
        expect(recorded?.parameters).toEqual(SCHEMA);
        expect(recorded?.schemaDigest).toBe(digestOf(SCHEMA));
        expect(agent.model.requests[0]?.tools.at(-1)?.parameters).toEqual(SCHEMA);
        expect(markers(history, 'validateToolCall').map(({ result }) => result)).toMatchObject([
          { valid: true, args: good, schemaDigest: digestOf(SCHEMA) },
          { valid: false, code: 'invalid_args', text: expect.stringContaining('words[0]: expected string') },
          { valid: false, code: 'invalid_args', text: expect.stringContaining('did you mean kind') },
        ]);
        expect(scheduled(history, 'executeTool')).toHaveLength(1);
        expect(toldToModel(history).map(({ status }) => status)).toEqual(['ok', 'error', 'error']);
        expect(agent.model.requests[1]?.messages.at(-1)).toMatchObject({ text: '2 b' });
        expect(failedWorkflowTasks(history)).toBe(0);
      });
    },
  );
});
