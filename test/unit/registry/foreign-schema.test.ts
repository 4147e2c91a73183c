import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { HoldfastError } from '../../../src/contract/error-codes.js';
import type { ManifestTool } from '../../../src/contract/manifest.js';
import type { ToolDef } from '../../../src/contract/tool.js';
import { readSchema } from '../../../src/registry/read-schema.js';
import { compileSchema } from '../../../src/registry/schema-validator.js';
import { offeredTool, ToolRegistry } from '../../../src/registry/tool-registry.js';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const s = { type: 'string' };
const inside = (v: unknown): object => ({ type: 'object', properties: { v } });
const of07 = (schema: object): object => ({ $schema: DRAFT_07, type: 'object', ...schema });

function register(parameters: unknown): ManifestTool | undefined {
  const def = { name: 't', description: 'd', riskLevel: 'safe', parameters } as ToolDef;
  const offered = offeredTool({ def, handler: () => 'ok', origin: 'foreign' });
  return ToolRegistry.create([offered], () => undefined).get('t')?.manifest;
}

function refusal(parameters: unknown): string {
  try {
    register(parameters);
  } catch (error) {
    if (error instanceof HoldfastError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

function judged(schema: object, good: readonly unknown[], bad: readonly unknown[]) {
  const validate = compileSchema(schema, 'foreign');
  const all = [...good, ...bad];
  return {
    accepted: all.filter((value) => validate(value) === undefined),
    refused: all.filter((value) => validate(value) !== undefined),
  };
}

describe('the schema of a foreign tool', () => {
  it.each([
    {
      what: 'items as a list, and additionalItems',
      schema: {
        properties: { v: { type: 'array', items: [s, { type: 'integer' }], additionalItems: false } },
      },
      good: [{ v: ['a', 1] }, { v: ['a'] }],
      bad: [{ v: [1] }, { v: ['a', 'b'] }, { v: ['a', 1, 2] }],
    },
    {
      what: 'dependencies on names and on schemas',
      schema: { dependencies: { a: ['b'], c: { required: ['d'] } } },
      good: [{}, { a: 1, b: 1 }, { c: 1, d: 1 }],
      bad: [{ a: 1 }, { c: 1 }],
    },
    {
      what: 'definitions, and the later $defs',
      schema: {
        properties: { a: { $ref: '#/definitions/n' }, b: { $ref: '#/$defs/n', description: 'B' } },
        definitions: { n: { type: 'integer' } },
        $defs: { n: { type: 'integer' } },
      },
      good: [{ a: 1, b: 2 }],
      bad: [{ a: 'x' }, { b: 'x' }],
    },
    {
      what: 'if, then, contains, propertyNames, const',
      schema: {
        propertyNames: { maxLength: 1 },
        if: { properties: { a: { const: 1 } }, required: ['a'] },
        then: { properties: { b: { contains: s } }, required: ['b'] },
      },
      good: [{ a: 2 }, { a: 1, b: ['x'] }],
      bad: [{ a: 1 }, { a: 1, b: [1] }, { long: 1 }],
    },
  ])('is judged by draft-07 when it declares that: $what [schema:2020-12]', ({ schema, good, bad }) => {
    expect(judged(of07(schema), good, bad)).toEqual({ accepted: good, refused: bad });
  });

  it.each([
    [undefined, '2020-12'],
    [DRAFT_2020, '2020-12'],
    [`${DRAFT_2020}#`, '2020-12'],
    [DRAFT_07, 'draft-07'],
    [DRAFT_07.slice(0, -1), 'draft-07'],
  ])('that declares %s is recorded as judged by %s [schema:2020-12]', ($schema, dialect) => {
    const parameters = { ...($schema !== undefined && { $schema }), type: 'object' };
    expect(register(parameters)).toMatchObject({ source: 'foreign', dialect, parameters });
  });

  it('that says nothing is judged by 2020-12 [schema:2020-12] [H08]', () => {
    const schema = inside({ type: 'array', prefixItems: [s], items: false });
    expect(judged(schema, [{ v: ['a'] }], [{ v: [1] }, { v: ['a', 'b'] }]).refused).toHaveLength(2);
  });

  it('is as strict as our own: nothing coerced, own members only, patterns in linear time [schema:no-coercion] [schema:own-properties] [schema:bounded]', () => {
    const schema = of07({
      properties: { n: { type: 'integer' }, p: { pattern: '^(a|a)*$' }, toString: s },
      required: ['toString'],
    });
    const validate = compileSchema(schema, 'foreign');
    expect(validate({ n: '42', toString: '' })?.text).toContain('n: expected integer, got string');
    expect(validate({ n: 1 })?.text).toContain('toString: required, but missing');
    expect(validate({ p: `${'a'.repeat(50_000)}b`, toString: '' })?.text).toContain(
      'p: expected a string that',
    );
  });

  it('may carry unknown keywords and formats, which are listed and judge nothing [schema:unknown-keywords] [schema:format]', () => {
    const v = { ...s, format: 'phone', patern: '^a', nullable: true, 'x-order': 1, 'ui hint': 2 };
    const parameters = {
      ...inside({ ...v, examples: [{ patrn: 1 }], default: { format: 'other' } }),
      $async: true,
      discriminator: { propertyName: 'v' },
      allOf: [{ format: 'color' }, { patern: 1 }],
    };
    const tool = register(parameters);
    expect(tool).toMatchObject({ parameters });
    expect(tool?.ignored?.keywords.toSorted()).toEqual([
      '$async',
      'discriminator',
      'nullable',
      'patern',
      'ui hint',
      'x-order',
    ]);
    expect(tool?.ignored?.formats).toEqual(['phone', 'color']);
    const bad = [{ v: null }, { v: 1 }];
    expect(judged(parameters, [{ v: 'b' }, {}], bad).refused).toEqual(bad);
  });

  it('lists nothing where it has no such words [schema:unknown-keywords]', () => {
    expect(register(inside({ ...s, format: 'date', default: { patern: 1 } }))).not.toHaveProperty('ignored');
  });

  it('asserts the standard formats [schema:format]', () => {
    const schema = of07({ properties: { v: { format: 'date' } } });
    expect(judged(schema, [{ v: '2024-02-29' }], [{ v: '2023-02-29' }]).refused).toHaveLength(1);
  });

  it('of draft-07 does not have the words of later drafts [schema:2020-12] [schema:unknown-keywords]', () => {
    const parameters = of07({ dependentRequired: { a: ['b'] }, properties: { v: { prefixItems: [s] } } });
    expect(register(parameters)?.ignored?.keywords).toEqual(['dependentRequired', 'prefixItems']);
    expect(judged(parameters, [{ a: 1, v: [1] }], []).refused).toEqual([]);
  });

  it.each([
    ['of another draft', { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }, /draft-07/],
    ['that names a dialect inside', inside({ $schema: DRAFT_07 }), /must stand at the root only/],
    ['whose root is no object', { $schema: DRAFT_07, type: 'string' }, /#\/type must be "object"/],
    ['that is not what its dialect says', of07({ properties: { v: { minLength: '1' } } }), /minLength/],
    ['of 2020-12 with items as a list', inside({ items: [s] }), /items is a list.*prefixItems/],
    ['of 2020-12 with dependencies', { type: 'object', dependencies: {} }, /older draft/],
    ['with $dynamicRef', inside({ $dynamicRef: '#a' }), /\$dynamicRef is not supported/],
    ['with a pattern that is none', of07({ properties: { v: { pattern: '(' } } }), /no regular expression/],
    ['with a look-ahead', of07({ patternProperties: { '^(?=a)': s } }), /lookahead/],
    [
      'with a reference to another file',
      of07({ properties: { v: { $ref: 'other.json' } } }),
      /\$ref must lead/,
    ],
    ['with a reference to the metaschema', inside({ $ref: DRAFT_2020 }), /\$ref must lead/],
    [
      'with a reference to a word that is ignored',
      { ...inside({ $ref: '#/components/a' }), components: { a: s } },
      /\$ref must lead/,
    ],
    ['with an $id elsewhere', of07({ $id: 'https://a.example/s' }), /\$id must not name a place elsewhere/],
    [
      'that judges beside $ref',
      of07({ properties: { v: { $ref: '#/definitions/a', minLength: 2 } }, definitions: { a: s } }),
      /minLength stands beside \$ref/,
    ],
    [
      'with a property __proto__',
      JSON.parse(`{"$schema":"${DRAFT_07}","type":"object","dependencies":{"a":["__proto__"]}}`) as object,
      /__proto__/,
    ],
  ])('is refused %s [schema:refs] [tool:schema-at-registration]', (_what, parameters, says) => {
    const text = refusal(parameters);
    expect(text).toMatch(/^invalid_schema: Tool t: parameters /);
    expect(text).toMatch(says);
  });

  it('connects nowhere [schema:refs] [H12]', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/x`;
    const refusals = [
      of07({ properties: { v: { $ref: url } } }),
      of07({ $id: url }),
      { $schema: url, type: 'object' },
    ].map(refusal);
    server.close();
    await once(server, 'close');
    expect(refusals).toEqual(refusals.map(() => expect.stringMatching(/^invalid_schema/)));
    expect(connections).toBe(0);
  });

  it.each([
    ['draft-07', of07({})],
    ['an unknown keyword', inside({ patern: 'a' })],
    ['an unknown format', inside({ format: 'phone' })],
  ])(
    'may have %s, which our own may not [schema:2020-12] [schema:unknown-keywords] [schema:format]',
    (_what, schema) => {
      expect(() => readSchema(schema, 'foreign')).not.toThrow();
      expect(() => compileSchema(schema, 'foreign')).not.toThrow();
      expect(() => compileSchema(schema, 'own')).toThrow(/2020-12|no format|no keyword/);
    },
  );

  it('guards names like path behind dependencies too [tool:path-args-legacy]', () => {
    expect(register(of07({ dependencies: { a: { properties: { path: s } } } }))?.pathArgs).toEqual(['path']);
  });
});
