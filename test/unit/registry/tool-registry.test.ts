import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { HoldfastError } from '../../../src/contract/error-codes.js';
import type { Tool } from '../../../src/registry/tool.js';
import { ToolRegistry } from '../../../src/registry/tool-registry.js';

const quiet = (): void => undefined;

/** A definition that is right in all but what a case changes; as JavaScript would write it, unchecked. */
function toolWith(changes: object, handler: unknown = () => 'ok'): Tool {
  const def = {
    name: 't',
    description: 'Does it.',
    riskLevel: 'read_only',
    parameters: { type: 'object' },
    ...changes,
  };
  return { def, handler } as unknown as Tool;
}

function register(...tools: readonly Tool[]): ToolRegistry {
  return ToolRegistry.create(
    tools.map((tool) => ({ tool, source: 'custom' })),
    quiet,
  );
}

function refusal(...tools: readonly Tool[]): { code: string; message: string } {
  try {
    register(...tools);
  } catch (error) {
    if (error instanceof HoldfastError) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'accepted', message: '' };
}

const paths = (properties: object, pathArgs: unknown, more: object = {}): Tool =>
  toolWith({ parameters: { type: 'object', properties, ...more }, pathArgs });
const s = { type: 'string' };

describe('ToolRegistry', () => {
  it.each([
    { what: 'no name', changes: { name: undefined }, says: /name must match/ },
    { what: 'an empty name', changes: { name: '' }, says: /name must match/ },
    { what: 'a name with a blank', changes: { name: 'read file' }, says: /"read file": name must match/ },
    { what: 'a name of 65 characters', changes: { name: 'n'.repeat(65) }, says: /name must match/ },
    { what: 'the name bash', changes: { name: 'bash' }, says: /no shell/ },
    { what: 'no description', changes: { description: undefined }, says: /t: description/ },
    { what: 'an empty description', changes: { description: ' ' }, says: /t: description/ },
    {
      what: 'a level of another name',
      changes: { riskLevel: 'harmless' },
      says: /t: riskLevel "harmless" is none of safe/,
    },
    { what: 'null for a level', changes: { riskLevel: null }, says: /riskLevel null/ },
    {
      what: 'an inherited name for a level',
      changes: { riskLevel: 'constructor' },
      says: /riskLevel "constructor"/,
    },
    {
      what: 'an unknown field',
      changes: { pathArg: ['path'] },
      says: /pathArg is no field .* did you mean pathArgs/,
    },
    { what: 'a label that is no text', changes: { label: 1 }, says: /t: label/ },
    {
      what: 'maxAttempts without idempotent',
      changes: { maxAttempts: 2 },
      says: /maxAttempts is for idempotent/,
    },
    {
      what: 'no attempts',
      changes: { idempotent: true, maxAttempts: 0 },
      says: /maxAttempts must be a whole number from 1/,
    },
    { what: 'no time', changes: { timeoutMs: 0 }, says: /timeoutMs must be/ },
    { what: 'a time past all timers', changes: { timeoutMs: 2 ** 31 }, says: /timeoutMs must be/ },
    { what: 'NaN for a time', changes: { heartbeatMs: Number.NaN }, says: /heartbeatMs must be/ },
    { what: 'text for a size', changes: { maxOutputBytes: '1024' }, says: /maxOutputBytes must be/ },
    { what: 'text for a flag', changes: { parallel: 'false' }, says: /parallel must be true or false/ },
  ])('refuses $what [tool:def] [tool:name] [tool:risk-levels] [surface:no-shell]', ({ changes, says }) => {
    const { code, message } = refusal(toolWith(changes));
    expect(code).toBe('invalid_tool');
    expect(message).toMatch(says);
  });

  it('refuses a handler that is no function [tool:def]', () => {
    expect(refusal(toolWith({}, 'run'))).toMatchObject({
      code: 'invalid_tool',
      message: expect.stringContaining('handler'),
    });
  });

  it.each([undefined, null, 'read', {}, { def: null }])('refuses %j, which is no tool [tool:def]', (tool) => {
    expect(refusal(tool as unknown as Tool).code).toBe('invalid_tool');
  });

  it('refuses a second tool of one name [tool:name]', () => {
    const { code, message } = refusal(toolWith({}), toolWith({}));
    expect([code, message]).toEqual(['duplicate_tool', expect.stringMatching(/^Tool t: another tool/)]);
  });

  it.each(['read', 'grep', 'find', 'ls', 'edit', 'write'])(
    'refuses the name %s, of a built-in tool that need not be there [tool:name] [surface:default]',
    (name) => {
      const { code, message } = refusal(toolWith({ name }));
      expect([code, message]).toEqual([
        'duplicate_tool',
        expect.stringContaining(`Tool ${name}: a built-in`),
      ]);
    },
  );

  it.each(['safe', 'read_only', 'mutation', 'destructive', 'dangerous'])(
    'takes the level %s [tool:risk-levels]',
    (riskLevel) => {
      expect(register(toolWith({ riskLevel })).get('t')?.manifest.riskLevel).toBe(riskLevel);
    },
  );

  it('takes an absent level for mutation and warns, naming the tool [tool:risk-levels]', () => {
    const warnings: string[] = [];
    const tool = toolWith({ riskLevel: undefined });
    const registry = ToolRegistry.create([{ tool, source: 'custom' }], (line) => warnings.push(line));
    expect(registry.get('t')?.manifest.riskLevel).toBe('mutation');
    expect(warnings).toEqual([expect.stringContaining('Tool t: no riskLevel')]);
  });

  it('records a definition with every default filled in [tool:def]', () => {
    expect(register(toolWith({})).get('t')?.manifest).toEqual({
      name: 't',
      description: 'Does it.',
      riskLevel: 'read_only',
      parameters: { type: 'object' },
      schemaDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      pathArgs: [],
      timeoutMs: 60_000,
      heartbeatMs: 10_000,
      idempotent: false,
      maxAttempts: 1,
      parallel: false,
      previews: false,
      repeatable: false,
      maxOutputBytes: 51_200,
      source: 'custom',
      dialect: '2020-12',
    });
    expect(register(toolWith({ idempotent: true })).get('t')?.manifest.maxAttempts).toBe(3);
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'has no tool %s [tool:name]',
    (name) => {
      expect(register(toolWith({})).get(name)).toBeUndefined();
    },
  );

  it('takes a tool that is called constructor, as any other [tool:name]', () => {
    const registry = register(toolWith({ name: 'constructor' }));
    expect(registry.names).toEqual(['constructor']);
    expect(registry.get('constructor')?.manifest.name).toBe('constructor');
  });

  it('keeps the order in which tools were given [risk:pinned]', () => {
    const registry = register(toolWith({ name: 'b' }), toolWith({ name: '1' }), toolWith({ name: 'a' }));
    expect(registry.names).toEqual(['b', '1', 'a']);
    expect(registry.all.map(({ manifest }) => manifest.name)).toEqual(['b', '1', 'a']);
  });

  it('records a copy of the schema, which later changes do not reach [risk:pinned]', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } } };
    const registry = register(toolWith({ parameters }));
    parameters.properties.a.type = 'number';
    expect(registry.get('t')?.manifest.parameters.properties).toEqual({ a: { type: 'string' } });
  });
});

const inside = (v: unknown): object => ({ type: 'object', properties: { v } });

describe('registering a schema', () => {
  it.each([
    { what: 'none', parameters: undefined, says: /#/ },
    { what: 'true', parameters: true, says: /object schema/ },
    { what: 'an empty one', parameters: {}, says: /#\/type must be "object"/ },
    { what: 'another root', parameters: { type: 'string' }, says: /#\/type must be "object"/ },
    { what: 'an unknown root type', parameters: { type: 'objekt' }, says: /#\/type must be "object"/ },
    { what: 'two root types', parameters: { type: ['object', 'null'] }, says: /#\/type must be "object"/ },
    { what: 'an unknown nested type', parameters: inside({ type: 'strin' }), says: /#\/properties\/v\/type/ },
    {
      what: 'items of draft-07',
      parameters: inside({ items: [{}] }),
      says: /#\/properties\/v\/items is a list, as older drafts have it; use prefixItems/,
    },
    {
      what: 'a pattern that is none',
      parameters: inside({ pattern: '(' }),
      says: /#\/properties\/v\/pattern is no regular expression/,
    },
    {
      what: 'a look-ahead',
      parameters: inside({ pattern: '^(?=a)' }),
      says: /#\/properties\/v\/pattern has a lookahead/,
    },
    {
      what: 'a bad name pattern',
      parameters: { type: 'object', patternProperties: { '(': {} } },
      says: /#\/patternProperties\/\( is no regular expression/,
    },
    {
      what: 'a mistyped keyword',
      parameters: inside({ patern: 'a' }),
      says: /#\/properties\/v\/patern is no keyword .* did you mean pattern/,
    },
    {
      what: 'a mistyped root keyword',
      parameters: { type: 'object', requird: ['a'] },
      says: /#\/requird .* did you mean required/,
    },
    {
      what: 'a keyword of its own',
      parameters: inside({ ui: 1 }),
      says: /#\/properties\/v\/ui is no keyword .* x-/,
    },
    {
      what: 'an inherited name as keyword',
      parameters: inside({ constructor: 1 }),
      says: /constructor is no keyword/,
    },
    { what: 'nullable', parameters: inside({ type: 'string', nullable: true }), says: /nullable .* "null"/ },
    {
      what: 'an unknown format',
      parameters: inside({ format: 'dat' }),
      says: /#\/properties\/v\/format .* did you mean date/,
    },
    {
      what: 'draft-07',
      parameters: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' },
      says: /#\/\$schema must be .*2020-12/,
    },
    {
      what: 'a nested dialect',
      parameters: inside({ $schema: 'https://json-schema.org/draft/2020-12/schema' }),
      says: /\$schema must stand at the root/,
    },
    { what: '$dynamicRef', parameters: inside({ $dynamicRef: '#a' }), says: /\$dynamicRef is not supported/ },
    {
      what: '$recursiveRef',
      parameters: inside({ $recursiveRef: '#' }),
      says: /\$recursiveRef is not supported/,
    },
    {
      what: 'unevaluatedItems',
      parameters: inside({ unevaluatedItems: false }),
      says: /unevaluatedItems is not supported/,
    },
    {
      what: 'unevaluatedProperties with if',
      parameters: { type: 'object', if: {}, unevaluatedProperties: false },
      says: /#\/unevaluatedProperties is not supported in a schema that has if/,
    },
    {
      what: 'a property __proto__',
      parameters: JSON.parse('{"type":"object","properties":{"__proto__":{}}}') as object,
      says: /__proto__/,
    },
    {
      what: 'a required __proto__',
      parameters: { type: 'object', required: ['__proto__'] },
      says: /__proto__/,
    },
    {
      what: 'a reference to nothing',
      parameters: inside({ $ref: '#/$defs/a' }),
      says: /\$ref must lead to a schema inside/,
    },
    {
      what: 'a reference to an inherited name',
      parameters: { ...inside({ $ref: '#/$defs/toString' }), $defs: {} },
      says: /\$ref must lead/,
    },
    {
      what: 'a reference to what is no schema',
      parameters: { ...inside({ $ref: '#/examples/0' }), examples: [{}] },
      says: /\$ref must lead/,
    },
    {
      what: 'a reference to another file',
      parameters: inside({ $ref: 'other.json' }),
      says: /\$ref must lead/,
    },
    {
      what: 'a reference to a file',
      parameters: inside({ $ref: 'file:///etc/hostname' }),
      says: /\$ref must lead/,
    },
    {
      what: 'a reference to itself',
      parameters: { ...inside({ $ref: '#/$defs/a' }), $defs: { a: { $ref: '#/$defs/a' } } },
      says: /cannot be compiled/,
    },
    {
      what: 'an $id elsewhere',
      parameters: { $id: 'https://a.example/s', type: 'object' },
      says: /#\/\$id must not name a place elsewhere/,
    },
    { what: 'a nested $id', parameters: inside({ $id: 'a' }), says: /\$id must not/ },
    {
      what: 'a function',
      parameters: inside({ default: () => 1 }),
      says: /is not JSON: #\/properties\/v\/default/,
    },
    { what: 'BigInt', parameters: inside({ minimum: 1n }), says: /is not JSON/ },
    { what: 'half of a surrogate pair', parameters: inside({ description: '\ud800' }), says: /surrogate/ },
  ])(
    'refuses $what, naming tool and place [tool:schema-at-registration] [schema:unknown-keywords] [H08] [H09]',
    ({ parameters, says }) => {
      const { code, message } = refusal(toolWith({ name: 'good' }), toolWith({ name: 'faulty', parameters }));
      expect(code).toBe('invalid_schema');
      expect(message).toMatch(/^Tool faulty: parameters /);
      expect(message).toMatch(says);
    },
  );

  it.each([
    {
      what: 'keywords that begin with x-',
      parameters: inside({ 'x-order': 1, 'x-ui': { a: 1 }, type: 'string' }),
    },
    { what: 'a reference to the root', parameters: inside({ $ref: '#' }) },
    {
      what: 'an escaped reference',
      parameters: { ...inside({ $ref: '#/$defs/a~1b%25' }), $defs: { 'a/b%': s } },
    },
    {
      what: 'properties named like keywords',
      parameters: { type: 'object', properties: { type: s, $ref: s, pattern: s, items: s } },
    },
    {
      what: 'draft-07 words that 2020-12 keeps',
      parameters: { ...inside({ $ref: '#/definitions/a' }), definitions: { a: s } },
    },
    { what: 'an $id of its own', parameters: { $id: 'args', type: 'object' } },
    {
      what: 'what differs in style only',
      parameters: {
        type: 'object',
        properties: { a: { minLength: 1 }, b: { type: ['string', 'number'] } },
        required: ['c'],
        patternProperties: { '^a': s },
      },
    },
    {
      what: 'annotations',
      parameters: inside({
        title: 'T',
        description: 'D',
        examples: [1],
        deprecated: true,
        readOnly: true,
        $comment: 'c',
        contentMediaType: 'a/b',
        default: null,
      }),
    },
  ])('takes $what [schema:unknown-keywords] [schema:refs]', ({ parameters }) => {
    expect(refusal(toolWith({ parameters })).message).toBe('');
  });

  it('connects nowhere for a reference that leads elsewhere [schema:refs] [H12]', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const url = `http://127.0.0.1:${port}/x`;
    const refusals = [
      inside({ $ref: url }),
      { $id: url, ...inside({ $ref: '#/properties/w' }) },
      { $schema: url, type: 'object' },
    ].map((parameters) => refusal(toolWith({ parameters })).code);
    server.close();
    await once(server, 'close');
    expect(refusals).toEqual(['invalid_schema', 'invalid_schema', 'invalid_schema']);
    expect(connections).toBe(0);
  });

  it('never offers a tool whose schema did not compile, nor the others of its agent [tool:schema-at-registration] [H09]', () => {
    const pattern = toolWith({ name: 'T4', parameters: inside({ pattern: '(' }) });
    expect(() => register(toolWith({ name: 'T1' }), pattern)).toThrow('Tool T4');
  });
});

describe('path arguments', () => {
  const file = { type: 'object', properties: { file: s } };
  it.each([
    { pathArgs: ['src'], properties: { src: s } },
    {
      pathArgs: ['job.from', 'job.to'],
      properties: { job: { type: 'object', properties: { from: s, to: s } } },
    },
    { pathArgs: ['paths[]'], properties: { paths: { type: 'array', items: s } } },
    { pathArgs: ['items[].file'], properties: { items: { type: 'array', items: file } } },
    { pathArgs: ['rows[][]'], properties: { rows: { type: 'array', items: { type: 'array', items: s } } } },
    { pathArgs: ['job.file'], properties: { job: { $ref: '#/$defs/file' } }, more: { $defs: { file } } },
  ])('are taken: $pathArgs [tool:path-args]', ({ pathArgs, properties, more }) => {
    expect(register(paths(properties, pathArgs, more)).get('t')?.manifest.pathArgs).toEqual(pathArgs);
  });

  it.each([
    { pathArgs: 'src', properties: { src: s }, says: /pathArgs must be a list/ },
    { pathArgs: [1], properties: {}, says: /pathArgs 1 is no path argument/ },
    { pathArgs: ['a..b'], properties: {}, says: /"a\.\.b" is no path argument/ },
    { pathArgs: ['[]'], properties: {}, says: /is no path argument/ },
    { pathArgs: ['items[0]'], properties: {}, says: /is no path argument/ },
    { pathArgs: ['dst'], properties: { src: s }, says: /names dst, which is no property of the schema/ },
    { pathArgs: ['toString'], properties: { src: s }, says: /toString, which is no property/ },
    { pathArgs: ['n'], properties: { n: { type: 'integer' } }, says: /names n, which is no string property/ },
    { pathArgs: ['n'], properties: { n: { type: ['string', 'null'] } }, says: /no string property/ },
    { pathArgs: ['n'], properties: { n: true }, says: /no string property/ },
    {
      pathArgs: ['paths'],
      properties: { paths: { type: 'array', items: s } },
      says: /for an array of paths write paths\[\]/,
    },
    { pathArgs: ['paths[]'], properties: { paths: s }, says: /names paths, which is no array/ },
    {
      pathArgs: ['paths[]'],
      properties: { paths: { type: 'array', prefixItems: [s], items: s } },
      says: /prefixItems/,
    },
    { pathArgs: ['paths[]'], properties: { paths: { type: 'array' } }, says: /no string property/ },
    {
      pathArgs: ['job.from'],
      properties: { job: { type: 'object' } },
      says: /names job\.from, which is no property/,
    },
    {
      pathArgs: ['job.from'],
      properties: { job: { properties: { from: s } } },
      says: /names job, which is no object/,
    },
  ])(
    'are refused: $pathArgs where the schema says $properties [tool:path-args] [path:fail-closed] [H07]',
    ({ pathArgs, properties, says }) => {
      const { code, message } = refusal(paths(properties, pathArgs));
      expect(code).toBe('invalid_path_args');
      expect(message).toMatch(/^Tool t: /);
      expect(message).toMatch(says);
    },
  );

  const both = { path: s, destination: s };
  it.each([
    {
      what: 'their names',
      parameters: { properties: { path: s, source: s, destination: s, cwd: s } },
      guarded: ['path', 'source', 'destination', 'cwd'],
    },
    {
      what: 'a string or null',
      parameters: { properties: { path: { type: ['string', 'null'] } } },
      guarded: ['path'],
    },
    { what: 'no type at all', parameters: { properties: { source: {} } }, guarded: ['source'] },
    {
      what: 'a branch of a union',
      parameters: { anyOf: [{ properties: both }, { properties: { n: s } }] },
      guarded: ['path', 'destination'],
    },
    {
      what: 'a reference',
      parameters: { $ref: '#/$defs/a', $defs: { a: { properties: { cwd: s } } } },
      guarded: ['cwd'],
    },
    {
      what: 'no string',
      parameters: { properties: { path: { type: 'integer' }, source: { type: 'object' } } },
      guarded: [],
    },
    {
      what: 'a nested place',
      parameters: { properties: { job: { type: 'object', properties: { path: s } } } },
      guarded: [],
    },
  ])(
    'are guarded undeclared by $what, with a warning each [tool:path-args-legacy]',
    ({ parameters, guarded }) => {
      const warnings: string[] = [];
      const tool = toolWith({ name: 'mover', parameters: { type: 'object', ...parameters } });
      const registry = ToolRegistry.create([{ tool, source: 'custom' }], (line) => warnings.push(line));
      expect(registry.get('mover')?.manifest.pathArgs).toEqual(guarded);
      expect(warnings).toEqual(
        guarded.map((name) => expect.stringContaining(`Tool mover: ${name} is guarded`)),
      );
    },
  );

  it('are not warned of when declared [tool:path-args-legacy]', () => {
    const warnings: string[] = [];
    const tool = paths({ path: s }, ['path']);
    const registry = ToolRegistry.create([{ tool, source: 'custom' }], (line) => warnings.push(line));
    expect(registry.get('t')?.manifest.pathArgs).toEqual(['path']);
    expect(warnings).toEqual([]);
  });
});
