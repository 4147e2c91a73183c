import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../../src/registry/schema-validator.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

const string = { type: 'string' };
const integer = { type: 'integer' };
const of = (v: unknown): object => ({ type: 'object', properties: { v } });

interface Case {
  readonly rule: string;
  readonly schema: object;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const KEYWORDS: readonly Case[] = [
  { rule: 'required', schema: { type: 'object', required: ['a'] }, good: [{ a: null }], bad: [{}, { b: 1 }] },
  {
    rule: 'nested objects',
    schema: of({ type: 'object', required: ['d'], properties: { d: integer } }),
    good: [{ v: { d: 1 } }],
    bad: [{ v: {} }, { v: { d: 'x' } }, { v: [] }],
  },
  {
    rule: 'array items',
    schema: of({ type: 'array', items: integer }),
    good: [{ v: [] }, { v: [1] }],
    bad: [{ v: [1, '2'] }, { v: {} }, { v: 1 }],
  },
  {
    rule: 'additionalProperties',
    schema: { ...of(string), additionalProperties: false },
    good: [{}, { v: '' }],
    bad: [{ w: 1 }],
  },
  {
    rule: 'lengths by characters',
    schema: of({ type: 'string', minLength: 2, maxLength: 2 }),
    good: [{ v: '😀é' }],
    bad: [{ v: '😀' }, { v: 'abc' }],
  },
  {
    rule: 'ranges',
    schema: of({ minimum: 1, exclusiveMaximum: 3, multipleOf: 0.5 }),
    good: [{ v: 1 }, { v: 2.5 }],
    bad: [{ v: 0.5 }, { v: 3 }, { v: 1.2 }],
  },
  {
    rule: 'multiples of a hundredth, as money has them',
    schema: of({ multipleOf: 0.01 }),
    good: [{ v: 19.99 }, { v: 0.3 }, { v: -4.35 }, { v: 0 }, { v: 1e300 }],
    bad: [{ v: 19.995 }, { v: 1e-3 }, { v: 5e-324 }],
  },
  {
    rule: 'multiples of what a double does not hold',
    schema: of({ multipleOf: 0.7 }),
    good: [{ v: 2.1 }, { v: 7e20 }],
    bad: [{ v: 1e17 }, { v: 1e21 }, { v: 1e308 }],
  },
  {
    rule: 'enum and const',
    schema: of({ anyOf: [{ enum: ['a', { b: [1] }] }, { const: null }] }),
    good: [{ v: 'a' }, { v: { b: [1] } }, { v: null }],
    bad: [{ v: 'b' }, { v: { b: [2] } }, { v: 0 }],
  },
  {
    rule: 'oneOf',
    schema: of({ oneOf: [{ minimum: 2 }, { multipleOf: 2 }] }),
    good: [{ v: 3 }, { v: 0 }],
    bad: [{ v: 4 }, { v: 1 }],
  },
  { rule: 'not', schema: of({ not: string }), good: [{ v: 1 }], bad: [{ v: 'a' }] },
  {
    rule: 'dependentSchemas',
    schema: { type: 'object', dependentSchemas: { a: { required: ['b'] } } },
    good: [{}, { a: 1, b: 2 }],
    bad: [{ a: 1 }],
  },
  {
    rule: 'dependentRequired',
    schema: { type: 'object', dependentRequired: { a: ['b'] } },
    good: [{ b: 1 }],
    bad: [{ a: 1 }],
  },
  {
    rule: 'if and then',
    schema: { type: 'object', if: { required: ['a'] }, then: { required: ['b'] } },
    good: [{}, { a: 1, b: 1 }],
    bad: [{ a: 1 }],
  },
  {
    rule: 'contains',
    schema: of({ contains: string, maxContains: 1 }),
    good: [{ v: [1, 'a'] }],
    bad: [{ v: [] }, { v: ['a', 'b'] }],
  },
  {
    rule: 'uniqueItems',
    schema: of({ type: 'array', uniqueItems: true }),
    good: [{ v: ['1', 1, [1], { a: 1 }] }],
    bad: [
      {
        v: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      },
      { v: ['__proto__', '__proto__'] },
    ],
  },
  {
    rule: 'propertyNames',
    schema: { type: 'object', propertyNames: { pattern: '^[a-z]$' } },
    good: [{ a: 1 }],
    bad: [{ A: 1 }],
  },
  {
    rule: 'patternProperties',
    schema: { type: 'object', patternProperties: { '^n': integer, '^s': string } },
    good: [{ n1: 1, s1: '' }],
    bad: [{ n1: '' }, { s1: 1 }],
  },
  { rule: 'false', schema: of(false), good: [{}], bad: [{ v: 1 }] },
];

const PREFIX = of({ type: 'array', prefixItems: [string, integer], items: false, minItems: 2 });
const UNEVALUATED = {
  type: 'object',
  allOf: [{ properties: { a: integer } }],
  properties: { b: integer },
  unevaluatedProperties: false,
};
const DRAFT_2020: readonly Case[] = [
  {
    rule: 'prefixItems',
    schema: PREFIX,
    good: [{ v: ['a', 1] }],
    bad: [{ v: ['a', 'b'] }, { v: ['a', 1, 2] }, { v: ['a'] }],
  },
  {
    rule: 'unevaluatedProperties',
    schema: UNEVALUATED,
    good: [{ a: 1, b: 2 }],
    bad: [{ a: 1, z: 1 }, { a: 'x' }],
  },
];

function judged({ schema, good, bad }: Case): { accepted: readonly unknown[]; refused: readonly unknown[] } {
  const validate = compileSchema(schema);
  const all = [...good, ...bad];
  return {
    accepted: all.filter((value) => validate(value) === undefined),
    refused: all.filter((value) => validate(value) !== undefined),
  };
}

describe('compileSchema', () => {
  it.each(KEYWORDS)('asserts $rule [schema:2020-12]', (example) => {
    expect(judged(example)).toEqual({ accepted: example.good, refused: example.bad });
  });

  it.each(DRAFT_2020)(
    'asserts $rule with the dialect named, and without [schema:2020-12] [H08]',
    (example) => {
      const expected = { accepted: example.good, refused: example.bad };
      expect(judged(example)).toEqual(expected);
      expect(judged({ ...example, schema: { $schema: DIALECT, ...example.schema } })).toEqual(expected);
    },
  );

  it('follows references inside the schema, recursion and anchors included [schema:refs] [H12]', () => {
    const schema = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' }, name: { $ref: '#short' } },
      $defs: {
        node: {
          type: 'object',
          properties: { n: integer, kids: { type: 'array', items: { $ref: '#/$defs/node' } } },
        },
        s: { $anchor: 'short', type: 'string', maxLength: 3 },
      },
    };
    const good = [{ tree: { n: 1, kids: [{ kids: [{ n: 2 }] }] }, name: 'abc' }];
    const bad = [{ tree: { kids: [{ kids: [{ n: 'x' }] }] } }, { name: 'abcd' }];
    expect(judged({ rule: '', schema, good, bad })).toEqual({ accepted: good, refused: bad });
  });

  it.each([
    { wanted: 'integer', bad: ['42', 4.2, true, null, [42]] },
    { wanted: 'number', bad: ['42', true, null] },
    { wanted: 'boolean', bad: [1, 0, 'true', null] },
    { wanted: 'string', bad: [42, true, null] },
    { wanted: 'null', bad: ['', 0, false] },
    { wanted: 'array', bad: ['a', {}, null] },
    { wanted: 'object', bad: [[], '{}', null] },
  ])('takes nothing else for $wanted [schema:no-coercion]', ({ wanted, bad }) => {
    const validate = compileSchema(of({ type: wanted }));
    expect(bad.filter((v) => validate({ v }) === undefined)).toEqual([]);
  });

  it('changes nothing in what it judges [schema:no-coercion]', () => {
    const validate = compileSchema({ type: 'object', properties: { a: { type: 'integer', default: 1 } } });
    const value = { extra: '1' };
    expect(validate(value)).toBeUndefined();
    expect(value).toEqual({ extra: '1' });
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'does not take the inherited %s for a member [schema:own-properties]',
    (name) => {
      const validate = compileSchema({ type: 'object', required: [name], properties: { [name]: string } });
      expect(validate({})?.text).toContain(name);
      expect(validate({ [name]: 1 })?.text).toContain(name);
      expect(validate({ [name]: 'x' })).toBeUndefined();
      expect(compileSchema({ type: 'object', required: [name] })({})?.text).toContain(
        'required, but missing',
      );
    },
  );

  it('judges members that share a name with a method [schema:own-properties]', () => {
    const validate = compileSchema(of({ enum: [{ valueOf: 1 }, { toString: 'a', constructor: 2 }] }));
    expect(validate({ v: { valueOf: 1 } })).toBeUndefined();
    expect(validate({ v: { constructor: 2, toString: 'a' } })).toBeUndefined();
    expect(validate({ v: { valueOf: 2 } })?.text).toContain('v:');
  });

  it('refuses a member __proto__ where no others are allowed [schema:own-properties]', () => {
    const validate = compileSchema({ type: 'object', properties: {}, additionalProperties: false });
    expect(validate(JSON.parse('{"__proto__":{}}'))?.text).toContain('__proto__');
  });

  it.each([
    { format: 'date', good: '2024-02-29', bad: '2023-02-29' },
    { format: 'date-time', good: '2024-01-01T00:00:00Z', bad: '2024-01-01' },
    { format: 'time', good: '10:00:00Z', bad: '25:00:00Z' },
    { format: 'duration', good: 'P1D', bad: '1D' },
    { format: 'uri', good: 'https://a.example/b?c', bad: '/b' },
    { format: 'uri-reference', good: '/b', bad: '\\b' },
    { format: 'uri-template', good: '/{id}', bad: '/{id' },
    { format: 'email', good: 'a@b.example', bad: 'a' },
    { format: 'hostname', good: 'a.example', bad: '-a.example' },
    { format: 'ipv4', good: '127.0.0.1', bad: '127.0.0' },
    { format: 'ipv6', good: '::1', bad: '12345::' },
    { format: 'regex', good: '^a$', bad: '(' },
    { format: 'uuid', good: '2eb8aa08-aa98-11ea-b4aa-73b441d16380', bad: '2eb8' },
    { format: 'json-pointer', good: '/a~1b', bad: '/a~2' },
    { format: 'relative-json-pointer', good: '1/a', bad: '-1/a' },
  ])('asserts the format $format [schema:format]', ({ format, good, bad }) => {
    expect(judged({ rule: '', schema: of({ format }), good: [{ v: good }], bad: [{ v: bad }] })).toEqual({
      accepted: [{ v: good }],
      refused: [{ v: bad }],
    });
  });

  it('keeps two schemas with one $id apart [schema:bounded]', () => {
    const [first, second] = [string, integer].map((v) => compileSchema({ $id: 'args', ...of(v) }));
    expect([first?.({ v: 'a' }), second?.({ v: 1 })]).toEqual([undefined, undefined]);
    expect([first?.({ v: 1 }), second?.({ v: 'a' })]).not.toContain(undefined);
  });

  it('is not changed by what its author does to the schema afterwards [risk:pinned]', () => {
    const schema = of({ type: 'string' });
    const validate = compileSchema(schema);
    Object.assign(schema, { properties: {} });
    expect(validate({ v: 1 })?.text).toContain('v:');
  });

  it('refuses what it cannot judge [schema:bounded]', () => {
    const a = { allOf: [{ $ref: '#/$defs/a' }] };
    const validate = compileSchema({ ...of({ $ref: '#/$defs/a' }), $defs: { a } });
    expect(validate({ v: 1 })?.text).toContain('could not be checked');
  });
});
