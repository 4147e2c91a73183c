import { jsonSchema, tool, type Tool } from '@ai-sdk/provider-utils';
import { describe, expect, it } from 'vitest';
import { readResult } from '../../../activities/tool-result.js';
import type { Adoption } from '../../../src/foreign/adoption.js';
import { aiSdkTool } from '../../../src/foreign/ai-sdk-tool.js';
import type { ToolContext } from '../../../src/registry/tool.js';
import { offeredTool, ToolRegistry } from '../../../src/registry/tool-registry.js';

const inputSchema = jsonSchema<{ city: string }>({
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
});
const weather = tool({ description: 'Tells the weather.', inputSchema, execute: () => 'rain' });
const context = { idempotencyKey: 'r:1:1', signal: new AbortController().signal } as ToolContext;
const changed = (changes: object): Tool => ({ ...weather, ...changes });

function adopted(from: Tool, adoption?: Adoption) {
  const warnings: string[] = [];
  const registry = ToolRegistry.create([offeredTool(aiSdkTool('weather', from, adoption))], (line) =>
    warnings.push(line),
  );
  return { manifest: registry.all[0]?.manifest, warnings };
}

async function ends(changes: object) {
  return readResult(await aiSdkTool('weather', changed(changes)).handler({ city: 'x' } as never, context));
}

describe('aiSdkTool', () => {
  it('adopts description, title and JSON Schema, and takes it for mutation with a warning [tool:foreign] [schema:2020-12]', () => {
    const { manifest, warnings } = adopted(changed({ title: 'Weather' }));
    expect(manifest).toMatchObject({
      name: 'weather',
      label: 'Weather',
      description: 'Tells the weather.',
      riskLevel: 'mutation',
      source: 'foreign',
      dialect: 'draft-07',
      parameters: { properties: { city: { type: 'string' } } },
    });
    expect(warnings).toEqual([expect.stringContaining('Tool weather: no riskLevel')]);
  });

  it('takes a schema that is given by a function, and what it is told [tool:foreign]', () => {
    const { manifest } = adopted(changed({ inputSchema: () => inputSchema }), {
      riskLevel: 'safe',
      description: 'D',
    });
    expect(manifest).toMatchObject({ riskLevel: 'safe', description: 'D', dialect: 'draft-07' });
  });

  it('executes with the arguments, the key and the signal [tool:foreign] [run:idempotency-key]', async () => {
    const calls: unknown[][] = [];
    await ends({ execute: (...args: unknown[]) => calls.push(args) });
    const { idempotencyKey: toolCallId, signal: abortSignal } = context;
    expect(calls).toEqual([[{ city: 'x' }, { toolCallId, messages: [], abortSignal }]]);
  });

  it.each([
    ['a text as it is', () => 'rain', { status: 'ok', text: 'rain' }],
    [
      'a value as JSON',
      async () => ({ rain: true, wind: undefined }),
      { status: 'ok', text: '{"rain":true}' },
    ],
    ['nothing', () => undefined, { status: 'ok', text: 'null' }],
    [
      'the last of a stream',
      async function* () {
        yield 'cloudy';
        yield 'rain';
      },
      { status: 'ok', text: 'rain' },
    ],
  ])('gives %s [tool:foreign] [tool:handler-result]', async (_what, execute, end) => {
    expect(await ends({ execute })).toEqual(end);
  });

  it.each([
    [{ type: 'text', value: 'a' }, 'ok', 'a'],
    [{ type: 'json', value: { a: 1 } }, 'ok', '{"a":1}'],
    [
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a' },
          { type: 'image-url', url: 'u' },
        ],
      },
      'ok',
      /^a\n.*\(image-url\)/,
    ],
    [{ type: 'error-text', value: 'no' }, 'error', 'no'],
    [{ type: 'error-json', value: { a: 1 } }, 'error', '{"a":1}'],
    [{ type: 'execution-denied', reason: 'not now' }, 'error', 'not now'],
    [{ type: 'execution-denied' }, 'error', /refused/],
    [{ type: 'hologram', value: 'a' }, 'error', /no known kind/],
  ])(
    'shows the model what toModelOutput gives: %j [tool:foreign] [tool:handler-result]',
    async (output, status, text) => {
      const end = await ends({
        toModelOutput: ({ output: ran }: { output: string }) => ran === 'rain' && output,
      });
      expect(end.status).toBe(status);
      expect(end.text).toMatch(text);
    },
  );

  it('throws for what JSON cannot carry, as any handler [tool:foreign] [tool:handler-throws]', async () => {
    await expect(ends({ execute: () => ({ n: 1n }) })).rejects.toThrow('bigint, which JSON cannot carry');
  });

  it.each<[string, object, Adoption, RegExp]>([
    ['a provider executes', { type: 'provider' }, {}, /executed by a provider/],
    ['nobody executes', { execute: undefined }, {}, /no execute/],
    [
      'has a schema of Zod',
      { inputSchema: { '~standard': {}, parse: () => 1 } },
      {},
      /must be a JSON Schema/,
    ],
    ['has no schema', { inputSchema: undefined }, {}, /must be a JSON Schema/],
    [
      'checks its input itself',
      { inputSchema: jsonSchema({ type: 'object' }, { validate: (value) => ({ success: true, value }) }) },
      {},
      /check of its own/,
    ],
    [
      'asks for approval and would be free',
      { needsApproval: true },
      { riskLevel: 'safe' },
      /needsApproval, and safe/,
    ],
    [
      'may ask and would be free',
      { needsApproval: () => false },
      { riskLevel: 'read_only' },
      /needsApproval/,
    ],
  ])('refuses a tool that %s [tool:foreign]', (_what, changes, adoption, says) => {
    const refused = () => aiSdkTool('weather', changed(changes), adoption);
    expect(refused).toThrow(expect.objectContaining({ code: 'invalid_tool' }));
    expect(refused).toThrow(says);
    expect(refused).toThrow(/^Tool weather: /);
  });

  it('bears the name that it is adopted under, in what is refused too [tool:foreign]', () => {
    expect(adopted(weather, { name: 'forecast' }).manifest?.name).toBe('forecast');
    const refused = () => aiSdkTool('weather', changed({ execute: undefined }), { name: 'forecast' });
    expect(refused).toThrow(/^Tool forecast: /);
  });

  it('takes a tool that asks for approval at a level that asks [tool:foreign]', () => {
    expect(adopted(changed({ needsApproval: true })).manifest?.riskLevel).toBe('mutation');
  });

  it('is refused under the name bash [tool:foreign] [surface:no-shell]', () => {
    const offered = offeredTool(aiSdkTool('bash', weather));
    expect(() => ToolRegistry.create([offered], () => undefined)).toThrow('there is no shell');
  });
});
