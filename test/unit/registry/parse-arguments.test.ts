import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { parseArguments } from '../../../src/registry/parse-arguments.js';

const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
const deep = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

describe('parseArguments', () => {
  it.each([
    {
      what: 'an object',
      text: '{"a":[1,-0.5,1e3,"x",null,true]}',
      args: { a: [1, -0.5, 1000, 'x', null, true] },
    },
    { what: 'empty text', text: '', args: {} },
    { what: 'blanks', text: ' \t\r\n', args: {} },
    {
      what: 'one name in several objects',
      text: '{"a":{"b":1},"c":[{"b":1},{"b":2}]}',
      args: { a: { b: 1 }, c: [{ b: 1 }, { b: 2 }] },
    },
    { what: 'a string that looks like JSON', text: '{"a":"[{\\"b\\":1}]"}', args: { a: '[{"b":1}]' } },
    {
      what: 'brackets and quotes in strings',
      text: '{"a":"}]\\"{","b":"\\\\"}',
      args: { a: '}]"{', b: '\\' },
    },
    { what: 'a whole surrogate pair', text: '{"a":"\\ud83d\\ude00"}', args: { a: '😀' } },
    {
      what: 'integers that a double holds',
      text: '{"a":9007199254740992,"b":1e20,"c":1.0,"d":0e5}',
      args: { a: 9007199254740992, b: 1e20, c: 1, d: 0 },
    },
    {
      what: 'fractions',
      text: '{"a":0.1,"b":0.12345678901234567890}',
      args: { a: 0.1, b: 0.12345678901234568 },
    },
    {
      what: 'numbers with a negative exponent',
      text: '{"a":1e-5,"b":-1.5E-3,"c":10e-1,"d":123456789012345678901e-20}',
      args: { a: 0.00001, b: -0.0015, c: 1, d: Number('123456789012345678901e-20') },
    },
    {
      what: 'the deepest nesting allowed',
      text: deep(LIMITS.jsonDepth),
      args: JSON.parse(deep(LIMITS.jsonDepth)) as object,
    },
  ])('takes $what as it is [schema:strict-json] [schema:no-coercion]', ({ text, args }) => {
    expect(parseArguments(text)).toEqual({ ok: true, args });
  });

  it.each([
    { what: 'cut text', text: '{"path":"a.md","content":"# T\\nhalf', says: /truncated/ },
    { what: 'a missing bracket', text: '{"a":[1,2', says: /truncated/ },
    { what: 'two objects', text: '{"a":1}{"a":1}', says: /exactly one/ },
    { what: 'text after the object', text: '{"a":1} done', says: /exactly one/ },
    { what: 'no JSON', text: 'path=a', says: /not JSON/ },
    { what: 'a trailing comma', text: '{"a":1,}', says: /not JSON/ },
    { what: 'single quotes', text: "{'a':1}", says: /not JSON/ },
    { what: 'a byte order mark', text: '\ufeff{}', says: /not JSON/ },
    { what: 'an array', text: '[{"a":1}]', says: /object, but are array/ },
    { what: 'null', text: 'null', says: /object, but are null/ },
    { what: 'the object as a string', text: '"{\\"a\\":1}"', says: /object, but are string/ },
    { what: 'a name twice', text: '{"o":{"x":1,"y":[{}],"x":1}}', says: /o\.x: named twice/ },
    { what: 'a name twice in two spellings', text: '{"\\u0061":1,"a":2}', says: /a: named twice/ },
    { what: '__proto__ twice', text: '{"__proto__":1,"__proto__":2}', says: /__proto__: named twice/ },
    { what: 'half of a surrogate pair', text: '{"a":["\\ud800"]}', says: /a\[0\]: half of a surrogate pair/ },
    { what: 'half of a pair in a name', text: '{"\\udc00":1}', says: /half of a surrogate pair/ },
    {
      what: 'an integer that a double rounds',
      text: '{"id":9007199254740993}',
      says: /id: a number .* as a string/,
    },
    { what: 'a rounded integer with an exponent', text: '{"id":1e23}', says: /as a string/ },
    { what: 'a rounded integer with a fraction', text: '{"id":12345678901234567890.0}', says: /as a string/ },
    { what: 'a number past all doubles', text: '{"a":[0,-1e400]}', says: /a\[1\]: a number/ },
    { what: 'a number that would become 0', text: '{"a":1e-400}', says: /as a string/ },
    { what: 'deep nesting', text: nested(LIMITS.jsonDepth + 1), says: /deeper than 200/ },
    { what: 'nesting of 20,000', text: '['.repeat(20_000), says: /deeper than 200/ },
    {
      what: 'large text',
      text: `{"a":"${'é'.repeat(LIMITS.argumentBytes / 2)}"}`,
      says: /larger than 262144 bytes/,
    },
  ])('refuses $what and says so [schema:strict-json] [schema:bounded] [H11]', ({ text, says }) => {
    const parsed = parseArguments(text);
    expect(parsed).toMatchObject({ ok: false });
    expect('text' in parsed && parsed.text).toMatch(says);
  });

  it('makes __proto__ an ordinary member that poisons nothing [schema:own-properties]', () => {
    const parsed = parseArguments('{"__proto__":{"path":"a"},"constructor":1}');
    const args = parsed.ok ? parsed.args : {};
    expect(Object.keys(args)).toEqual(['__proto__', 'constructor']);
    expect(args['path']).toBeUndefined();
    expect({}).not.toHaveProperty('path');
  });

  it('never repeats a value in a refusal [schema:before-handler]', () => {
    const texts = [
      '{"a":"sesame',
      '{"a":"sesame"} sesame',
      'sesame',
      '"sesame"',
      '{"a":"sesame","a":1}',
      '{"a":"sesame\\ud800"}',
    ];
    expect(
      texts.map((text) => parseArguments(text)).filter((p) => p.ok || p.text.includes('sesame')),
    ).toEqual([]);
  });
});
