import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../../src/registry/schema-validator.js';

const edits = {
  type: 'object',
  required: ['path', 'edits'],
  properties: {
    path: { type: 'string' },
    edits: {
      type: 'array',
      items: {
        type: 'object',
        required: ['oldText', 'newText'],
        properties: { oldText: { type: 'string', minLength: 1 }, newText: { type: 'string' } },
        additionalProperties: false,
      },
    },
  },
};
const of = (v: object): object => ({ type: 'object', properties: { v } });

describe('the text of a fault', () => {
  it.each([
    { schema: edits, value: {}, text: 'path, edits: required, but missing.' },
    { schema: edits, value: [], text: 'the whole value: expected object, got array.' },
    { schema: edits, value: { path: 1, edits: [] }, text: 'path: expected string, got number.' },
    {
      schema: edits,
      value: {
        path: 'a',
        edits: [
          { oldText: 'x', newText: 'y' },
          { oldText: null, newText: '' },
        ],
      },
      text: 'edits[1].oldText: expected string, got null.',
    },
    {
      schema: edits,
      value: { path: 'a', edits: [{}] },
      text: 'edits[0].oldText, edits[0].newText: required, but missing.',
    },
    {
      schema: edits,
      value: { path: 'a', edits: [{ oldText: 'x', newText: 'y', newTxt: 1 }] },
      text: 'edits[0].newTxt: not allowed here; allowed are oldText, newText.',
    },
    {
      schema: edits,
      value: { path: 'a', edits: [{ oldText: '', newText: '' }] },
      text: 'edits[0].oldText: expected a string of at least 1 characters, got a shorter string.',
    },
    {
      schema: { ...of({}), additionalProperties: false },
      value: { V: 1 },
      text: 'V: not allowed here; did you mean v.',
    },
    {
      schema: of({ enum: ['a', 'b'] }),
      value: { v: 'sesame' },
      text: 'v: expected one of "a", "b", got another string.',
    },
    { schema: of({ const: 7 }), value: { v: 8 }, text: 'v: expected 7, got another number.' },
    {
      schema: of({ pattern: '^a$' }),
      value: { v: 'sesame' },
      text: 'v: expected a string that matches "^a$", got another string.',
    },
    {
      schema: of({ format: 'date' }),
      value: { v: 'sesame' },
      text: 'v: expected a string of the format "date", got another string.',
    },
    {
      schema: of({ minimum: 2 }),
      value: { v: 1 },
      text: 'v: expected a number of at least 2, got a smaller number.',
    },
    {
      schema: of({ type: ['string', 'null'] }),
      value: { v: 1 },
      text: 'v: expected string or null, got number.',
    },
    {
      schema: of({ prefixItems: [{}], items: false }),
      value: { v: [1, 2] },
      text: 'v: expected an array of at most 1 items, got a longer array.',
    },
    {
      schema: of({ anyOf: [{ type: 'object' }, { type: 'string' }] }),
      value: { v: 1 },
      text: 'v: fits none of the allowed forms (v: expected object, got number; or v: expected string, got number).',
    },
    {
      schema: of({ oneOf: [{ minimum: 1 }, { maximum: 9 }] }),
      value: { v: 5 },
      text: 'v: fits more than one of the allowed forms, of which exactly one must fit.',
    },
    {
      schema: of({ uniqueItems: true }),
      value: { v: [1, 1] },
      text: 'v: expected an array whose items all differ, got an array with equal items.',
    },
    {
      schema: of({ not: { type: 'string' } }),
      value: { v: 'sesame' },
      text: 'v: expected something else, got a forbidden string.',
    },
    {
      schema: { type: 'object', dependentRequired: { a: ['b'] } },
      value: { a: 1 },
      text: 'b: required beside a, but missing.',
    },
    {
      schema: { type: 'object', if: { required: ['a'] }, then: { required: ['b'] } },
      value: { a: 1 },
      text: 'b: required, but missing.',
    },
    {
      schema: { type: 'object', propertyNames: { maxLength: 3 } },
      value: { long: 1 },
      text: 'the whole value: the name long is not allowed.',
    },
    {
      schema: of({ $ref: '#/$defs/d' }),
      value: { v: 1 },
      text: 'v: expected boolean, got number.',
      defs: { d: { type: 'boolean' } },
    },
    {
      schema: of({ additionalProperties: { type: 'string' } }),
      value: { v: { 'a b': 1 } },
      text: 'v."a b": expected string, got number.',
    },
  ])('is $text [schema:before-handler]', ({ schema, value, text, defs }) => {
    expect(compileSchema({ ...schema, ...(defs && { $defs: defs }) })(value)?.text).toBe(text);
  });

  it('names the property, the string that came and the array that is wanted [schema:strict-json] [H10]', () => {
    const fault = compileSchema(edits)({ path: 'a', edits: '[{"oldText":"x","newText":"y"}]' });
    expect(fault?.text).toBe(
      'edits: expected array, got string that holds JSON; send the array itself, not a string.',
    );
  });

  it.each([
    { type: 'integer', came: '42', hint: true },
    { type: 'object', came: '{"a":1}', hint: true },
    { type: 'boolean', came: 'true', hint: true },
    { type: 'array', came: '{"a":1}', hint: false },
    { type: 'array', came: '[1', hint: false },
    { type: 'integer', came: '4.2', hint: false },
  ])('says whether the string $came holds a JSON $type: $hint [H10]', ({ type, came, hint }) => {
    expect(compileSchema(of({ type }))({ v: came })?.text.includes('holds JSON')).toBe(hint);
  });

  it('passes a string that looks like JSON where a string may come [H10]', () => {
    const validate = compileSchema(of({ anyOf: [{ type: 'object' }, { type: 'string' }] }));
    expect(validate({ v: '{"a":1}' })).toBeUndefined();
  });

  it('never holds a value, and of a hostile name only the beginning [schema:before-handler]', () => {
    const schema = { ...edits, additionalProperties: false };
    const name = 'n'.repeat(10_000);
    const faults = [
      compileSchema(schema)({ path: 'a', edits: [{ oldText: ['sesame'], newText: 'sesame' }] }),
      compileSchema(schema)({ path: { a: 'sesame' }, edits: 'sesame' }),
      compileSchema(schema)({ path: 'a', edits: [], [name]: 'sesame' }),
    ];
    expect(
      faults.every(
        (fault) =>
          fault !== undefined && !JSON.stringify(fault).includes('sesame') && fault.text.length < 400,
      ),
    ).toBe(true);
  });

  it.each([
    { value: { path: 7, edits: [] }, at: '/path' },
    { value: { path: 'a', edits: [{ oldText: 'b', newText: 'c' }, { oldText: 7 }] }, at: '/edits/1' },
    { value: { path: 'a', edits: [], 'x/~y': 1 }, at: '/x~1~0y' },
    { value: {}, at: '' },
    { value: { path: 'a', edits: [], ['n'.repeat(10_000)]: 1 }, at: undefined },
  ])(
    'names the place as a JSON Pointer, $at, unless it is too long [schema:before-handler]',
    ({ value, at }) => {
      const fault = compileSchema({ ...edits, additionalProperties: false })(value);
      expect(fault).toMatchObject({ text: expect.any(String) });
      expect(fault?.at).toBe(at);
    },
  );
});
