import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonSchema, tool } from '@ai-sdk/provider-utils';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { decisionFor } from '../../src/client.js';
import type { JsonValue } from '../../src/contract/json.js';
import type { ToolOutcome } from '../../src/contract/tool.js';
import { aiSdkTool } from '../../src/foreign/ai-sdk-tool.js';
import { piTool } from '../../src/foreign/pi-tool.js';
import type { Tool } from '../../src/registry/tool.js';
import { withAgent } from '../harness/agent.js';
import {
  failedWorkflowTasks,
  markers,
  recordedManifest,
  scheduled,
  toldToModel,
  type History,
} from '../harness/history.js';

/** Notes where a file really is: the path that it is given. */
const noteTool = piTool(
  {
    name: 'note',
    label: 'Note',
    description: 'Notes.',
    parameters: Type.Object({ file: Type.String(), text: Type.String() }),
    execute: async (id: string, { file, text }: { file: string; text: string }) => {
      await appendFile(file, `${text} ${id}\n`);
      return { content: [{ type: 'text', text: 'Noted.' }], details: { id } };
    },
  },
  { pathArgs: ['file'] },
);

/** Of draft-07, as its tuple shows. */
const spanTool = (least: number): Tool =>
  aiSdkTool(
    'span',
    tool({
      description: 'Measures.',
      inputSchema: jsonSchema<{ span: [number, number] }>({
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          span: {
            type: 'array',
            items: [{ type: 'integer', minimum: least }, { type: 'integer' }],
            minItems: 2,
            additionalItems: false,
          },
        },
        required: ['span'],
        ...{ 'ui hint': 1, additionalProperties: false },
      }),
      execute: ({ span: [from, to] }) => ({ length: to - from }),
    }),
    { riskLevel: 'read_only' },
  );

const span = (...numbers: readonly JsonValue[]) => ({ calls: [{ tool: 'span', args: { span: numbers } }] });
const note = (file: string) => ({ calls: [{ tool: 'note', args: { file, text: 'x' } }] });

function verdicts(history: History): readonly unknown[] {
  return markers(history, 'validateToolCall').map((marker) => marker.result);
}

describe('tools from elsewhere', () => {
  it('are validated by their own dialect, which the manifest names [tool:foreign] [schema:2020-12] [schema:unknown-keywords]', async () => {
    const script = [span(1, 4), span(1, 'x'), span(1, 2, 3), { text: 'done' }];
    await withAgent({ customTools: [spanTool(0)], script }, async (agent) => {
      const runId = await agent.start();
      await agent.client.result(runId);
      const history = await agent.history(runId);
      expect(recordedManifest(history).manifest.tools.at(-1)).toMatchObject({
        ...{ name: 'span', source: 'foreign', dialect: 'draft-07', riskLevel: 'read_only' },
        ignored: { keywords: ['ui hint'], formats: [] },
      });
      expect(verdicts(history)).toMatchObject([
        { valid: true },
        { valid: false, code: 'invalid_args', text: expect.stringContaining('span[1]: expected integer') },
        { valid: false, code: 'invalid_args', text: expect.stringContaining('at most 2 items') },
      ]);
      expect(scheduled(history, 'executeTool')).toHaveLength(1);
      expect(toldToModel(history).map(({ status }) => status)).toEqual(['ok', 'error', 'error']);
      expect(agent.model.requests[1]?.messages.at(-1)).toMatchObject({ text: '{"length":3}' });
      expect(failedWorkflowTasks(history)).toBe(0);
    });
  });

  it('stay bound to the schema that a run recorded, by its dialect [risk:pinned] [schema:2020-12]', async () => {
    const script = [note('a.txt'), span(1, 4), span(5, 9), { text: 'done' }];
    await withAgent({ customTools: [noteTool, spanTool(0)], script }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      await agent.redeploy({ customTools: [noteTool, spanTool(3)] });
      await agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'ada' }));
      await agent.client.result(runId);
      const history = await agent.history(runId);
      expect(verdicts(history)).toMatchObject([
        { valid: true },
        { valid: false, text: expect.stringContaining('has changed since the run began') },
        { valid: true, currentSchemaDigest: expect.any(String) },
      ]);
      expect(failedWorkflowTasks(history)).toBe(0);
    });
  });

  it('are guarded, ask a person where nobody said how risky they are, and run once [tool:foreign] [tool:risk-levels] [path:all-or-nothing]', async () => {
    const script = [note('../out.txt'), note('in.txt'), { text: 'done' }];
    await withAgent({ customTools: [noteTool], script }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      expect(request).toMatchObject({ tool: 'note', riskLevel: 'mutation', call: { turn: 1, index: 0 } });
      await agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'ada' }));
      await agent.client.result(runId);
      const history = await agent.history(runId);
      expect(markers(history, 'guardPaths').map(({ result }) => result)).toMatchObject([
        { allowed: false, code: 'path_refused' },
        { allowed: true, paths: [{ argument: 'file', relative: 'in.txt' }] },
      ]);
      const executions = scheduled(history, 'executeTool');
      expect(executions).toMatchObject([{ input: { authorization: { kind: 'decision' } } }]);
      expect(await readFile(join(agent.workspace, 'in.txt'), 'utf8')).toBe(`x ${runId}:1:0\n`);
      expect(agent.model.requests[2]?.messages.at(-1)).toMatchObject({ status: 'ok', text: 'Noted.' });
      expect(failedWorkflowTasks(history)).toBe(0);
    });
  });

  it('fail by throwing, and the run goes on [tool:foreign] [tool:handler-throws]', async () => {
    const broken = piTool(
      {
        name: 'broken',
        description: 'Breaks.',
        parameters: Type.Object({}),
        execute: async (): Promise<ToolOutcome> => {
          throw new Error('no such city');
        },
      },
      { riskLevel: 'safe' },
    );
    const script = [{ calls: [{ tool: 'broken', args: {} }] }, { text: 'done' }];
    await withAgent({ customTools: [broken], script }, async (agent) => {
      const runId = await agent.start();
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', budget: { errors: 1 } });
      const history = await agent.history(runId);
      expect(scheduled(history, 'executeTool')).toHaveLength(1);
      expect(agent.model.requests[1]?.messages.at(-1)).toMatchObject({
        status: 'error',
        text: expect.stringContaining('no such city'),
      });
      expect(failedWorkflowTasks(history)).toBe(0);
    });
  });
});
