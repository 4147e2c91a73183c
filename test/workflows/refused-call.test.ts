import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withAgent } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { failedWorkflowTasks, markers, scheduled, toldToModel } from '../harness/history.js';

const edits = {
  name: 'patch',
  description: 'Takes edits.',
  riskLevel: 'read_only',
  parameters: {
    type: 'object',
    required: ['edits'],
    properties: {
      edits: {
        type: 'array',
        items: { type: 'object', required: ['old'], properties: { old: { type: 'string' } } },
      },
    },
  },
} as const;

const refused = [
  { case: 'a missing required argument', tool: 'patch', args: {}, code: 'invalid_args', says: 'edits' },
  {
    case: 'a nested value of a wrong type',
    tool: 'patch',
    args: { edits: [{ old: 1 }] },
    code: 'invalid_args',
    says: 'edits[0].old',
  },
  { case: 'an object for an array', tool: 'patch', args: { edits: {} }, code: 'invalid_args', says: 'array' },
  { case: 'text that is no JSON', tool: 'patch', args: '{"edits":[', code: 'invalid_args', says: 'JSON' },
  { case: 'an unknown tool', tool: 'constructor', args: {}, code: 'unknown_tool', says: 'read' },
  { case: 'a path outside', tool: 'read', args: { path: '../o' }, code: 'path_refused', says: 'workspace' },
] as const;

describe('a refused call', () => {
  it.each(refused)(
    '$case is told to the model once and never executed [schema:before-handler] [path:inside] [outcome:status]',
    async ({ tool, args, code, says }) => {
      let ran = 0;
      const patch = { def: edits, handler: () => `ran ${String((ran += 1))}` };
      await withAgent(
        { customTools: [patch], script: [{ calls: [{ tool, args }] }, { text: 'done' }] },
        async ({ client, start, history, model }) => {
          const runId = await start();
          const result = await client.result(runId);
          const events = await history(runId);
          expect(scheduled(events, 'executeTool')).toEqual([]);
          expect(ran).toBe(0);
          expect(toldToModel(events)).toEqual([{ turn: 0, index: 0, status: 'error' }]);
          expect(result.budget.errors).toBe(1);
          const verdicts = [...markers(events, 'validateToolCall'), ...markers(events, 'guardPaths')];
          expect(verdicts.map(({ result: verdict }) => (verdict as { code?: string }).code)).toContain(code);
          const told = model.requests[1]?.messages.at(-1);
          expect(told).toMatchObject({ role: 'tool', status: 'error' });
          expect(told && 'text' in told ? told.text : '').toContain(says);
          expect(failedWorkflowTasks(events)).toBe(0);
        },
      );
    },
  );

  it('never asks a person, whatever its risk [hitl:order] [H15]', async () => {
    await withAgent(
      {
        enableWriteTools: true,
        customTools: [effectTool('effect', 'dangerous')],
        script: [
          {
            calls: [
              { tool: 'effect', args: {} },
              { tool: 'write', args: { path: '../o', content: 'x' } },
            ],
          },
          { text: 'done' },
        ],
      },
      async ({ client, start, history }) => {
        const runId = await start();
        await client.result(runId);
        const events = await history(runId);
        expect(toldToModel(events).map(({ status }) => status)).toEqual(['error', 'error']);
        expect((await client.status(runId)).settled).toEqual([]);
      },
    );
  });

  it.each([
    {
      what: 'cut off',
      args: '{"path":"a.md","content":"# T\\nhalf',
      finishReason: 'length',
      code: 'truncated_call',
    },
    {
      what: 'cut off unnoticed',
      args: '{"path":"a.md","content":"# T',
      finishReason: 'tool_calls',
      code: 'invalid_args',
    },
    {
      what: 'whole by chance',
      args: { path: 'a.md', content: 'x' },
      finishReason: 'length',
      code: 'truncated_call',
    },
    {
      what: 'cut off by a filter of the provider',
      args: { path: 'a.md', content: 'x' },
      finishReason: 'content_filter',
      code: 'truncated_call',
    },
  ] as const)(
    'of an answer that was $what writes nothing and is told so [schema:truncated-turn] [schema:strict-json] [H11]',
    async ({ args, finishReason, code }) => {
      const script = [{ finishReason, calls: [{ tool: 'write', args }] }, { text: 'done' }];
      await withAgent({ enableWriteTools: true, script }, async (agent) => {
        const runId = await agent.start();
        const result = await agent.client.result(runId);
        expect(result.budget.errors).toBe(1);
        const events = await agent.history(runId);
        expect(scheduled(events, 'executeTool')).toEqual([]);
        expect(scheduled(events, 'callModel').at(-1)?.input).toMatchObject({
          append: [{ status: 'error', code }],
        });
        await expect(readFile(join(agent.workspace, 'a.md'))).rejects.toThrow('ENOENT');
      });
    },
  );
});
