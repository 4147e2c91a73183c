import { describe, expect, it } from 'vitest';
import { jsonLine } from '../../src/cli/print-json.js';

describe('a line of JSON', () => {
  it.each([
    ['an escape sequence', '\u001b[31m', '{"a":"\\u001b[31m"}'],
    ['a C1 control', '\u009b31m', '{"a":"\\u009b31m"}'],
    ['a text that runs backwards', 'a\u202eb', '{"a":"a\\u202eb"}'],
    ['an invisible letter beyond the BMP', '\u{e0041}', '{"a":"\\udb40\\udc41"}'],
    ['an invisible filler', 'a\u3164b', '{"a":"a\\u3164b"}'],
    ['a line separator', '\u2028', '{"a":"\\u2028"}'],
    ['lines', 'a\nb\t', '{"a":"a\\nb\\t"}'],
    ['a half of a surrogate pair', '\ud800', '{"a":"\\ud800"}'],
    ['ordinary letters', 'héßφ漢🙂', '{"a":"héßφ漢🙂"}'],
  ])('shows %s harmless and means the same', (_what, text, line) => {
    expect(jsonLine({ a: text })).toBe(line);
    expect(JSON.parse(line)).toEqual({ a: text });
  });
});
