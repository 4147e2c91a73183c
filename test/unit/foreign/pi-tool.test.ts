import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { readResult } from '../../../activities/tool-result.js';
import { piTool, type PiTool } from '../../../src/foreign/pi-tool.js';
import type { ToolContext } from '../../../src/registry/tool.js';
import { offeredTool, ToolRegistry } from '../../../src/registry/tool-registry.js';

const tool: PiTool = {
  name: 'note',
  label: 'Note',
  description: 'Takes a note.',
  parameters: Type.Object({ text: Type.String() }),
  execute: async () => ({ content: [], details: {} }),
};
const context = { idempotencyKey: 'r:1:1', signal: new AbortController().signal } as ToolContext;

function adopted(...adoption: Parameters<typeof piTool> extends [unknown, ...infer Rest] ? Rest : never) {
  const warnings: string[] = [];
  const registry = ToolRegistry.create([offeredTool(piTool(tool, ...adoption))], (line) =>
    warnings.push(line),
  );
  return { manifest: registry.all[0]?.manifest, warnings };
}

async function ends(execute: PiTool['execute']) {
  return readResult(await piTool({ ...tool, execute }).handler({ text: 'x' } as never, context));
}

describe('piTool', () => {
  it('adopts name, label, description and schema, and takes it for mutation with a warning [tool:foreign] [tool:risk-levels]', () => {
    const { manifest, warnings } = adopted();
    expect(manifest).toMatchObject({
      name: 'note',
      label: 'Note',
      description: 'Takes a note.',
      riskLevel: 'mutation',
      source: 'foreign',
      parameters: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
    });
    expect(warnings).toEqual([expect.stringContaining('Tool note: no riskLevel')]);
  });

  it('takes what it is told instead of what the tool says [tool:foreign]', () => {
    const { manifest, warnings } = adopted({
      name: 'memo',
      riskLevel: 'safe',
      timeoutMs: 5,
      pathArgs: ['text'],
    });
    expect(manifest).toMatchObject({ name: 'memo', riskLevel: 'safe', timeoutMs: 5, pathArgs: ['text'] });
    expect(warnings).toEqual([]);
  });

  it('executes with the key, the arguments and the signal [tool:foreign] [run:idempotency-key]', async () => {
    const calls: unknown[][] = [];
    await ends((...args) => {
      calls.push(args);
      return { content: [] };
    });
    expect(calls).toEqual([['r:1:1', { text: 'x' }, context.signal]]);
  });

  it('gives texts and details, and says what was no text [tool:foreign] [tool:handler-result]', async () => {
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
    const end = await ends(() => ({ content: [{ type: 'text', text: 'a' }, image, 7], details: { n: 1 } }));
    expect(end).toEqual({
      status: 'ok',
      text: 'a\n[A part of the result (image) is no text and is not shown.]\n[A part of the result is no text and is not shown.]',
      details: { n: 1 },
    });
  });

  it.each([
    ['isError', { content: [{ type: 'text', text: 'no' }], isError: true }],
    ['nothing', undefined],
    ['a number', 7],
    ['no content', { details: {} }],
  ])('is an error when execute gives %s [tool:foreign] [tool:handler-result]', async (_what, result) => {
    expect(await ends(() => result)).toMatchObject({ status: 'error', code: 'tool_error' });
  });

  it.each(['bash', 'read', 'write'])(
    'is refused under the name %s, adopted or given [tool:foreign] [surface:no-shell] [tool:name]',
    (name) => {
      const renamed = piTool({ ...tool, name });
      for (const each of [renamed, piTool(tool, { name })]) {
        expect(() => ToolRegistry.create([offeredTool(each)], () => undefined)).toThrow(`Tool ${name}:`);
      }
    },
  );
});
