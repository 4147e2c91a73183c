import { describe, expect, it } from 'vitest';
import { compilePattern, PatternRefusal } from '../../../src/registry/linear-pattern.js';

const PATTERNS = [
  '',
  'b',
  '^TICKET-[0-9]{1,6}$',
  '^.*$',
  '^\\s+$',
  '^\\S+$',
  '^[^\\s]$',
  '^[\\S]$',
  '^\\w+\\b$',
  '^\\W\\D$',
  '^[\\w-]+$',
  '^\\d{2,}$',
  '^(?:a|bc)*?d?$',
  '^(?<year>\\d{4})-(\\d{2})$',
  '^\\p{L}+$',
  '^\\P{L}+$',
  '^[\\p{Lu}\\d]+$',
  '^\\p{Script=Greek}$',
  '^[^]$',
  '[]',
  '^[[a]$',
  '^\\u{1F600}$',
  '^\\ud83d\\ude00$',
  '^.$',
  '^[\\b]$',
  '^\\cJ$',
  '^\\/\\.\\$$',
  'a$',
  'a|b|',
  '\\Bb',
];
const TEXTS = [
  '',
  'a',
  'ab',
  'a\n',
  'a\rb',
  'a\u2028b',
  '\u00a0',
  '\ufeff\v',
  '\u1680',
  'TICKET-12',
  'TICKET-1234567',
  'é',
  'ÀÉ9',
  'α',
  '😀',
  '[',
  '\b',
  '\n',
  '/.$',
  '2024-05',
  'bcbca',
  '--',
  'x_1-y',
  '\u0661\u0662',
];

describe('compilePattern', () => {
  it.each(PATTERNS)('reads /%s/u as ECMA-262 does [schema:2020-12]', (source) => {
    const native = new RegExp(source, 'u');
    const pattern = compilePattern(source);
    expect(TEXTS.filter((text) => pattern.test(text))).toEqual(TEXTS.filter((text) => native.test(text)));
  });

  it.each(['^(a|a)*$', '^(a+)+$', '^(?:a{1,30}){1,30}$', '(.*)*=.*', '^(\\w+\\s?)*$'])(
    'judges 200,000 characters by /%s/u, which no backtracking engine ends [schema:bounded]',
    (source) => {
      expect(compilePattern(source).test(`${'a'.repeat(200_000)}!`)).toBe(false);
    },
  );

  it.each([
    { source: '(', reason: /no regular expression/ },
    { source: '[b-a]', reason: /no regular expression/ },
    { source: '\\_', reason: /no regular expression/ },
    { source: '(?i:a)', reason: /no regular expression/ },
    { source: '^(?=a)', reason: /lookahead/ },
    { source: '^(?!a)', reason: /lookahead/ },
    { source: '(?<=a)b', reason: /lookbehind/ },
    { source: '(a)\\1', reason: /back-reference/ },
    { source: '(?<x>a)\\k<x>', reason: /back-reference/ },
    { source: 'a{1,2000}', reason: /1000 times/ },
    { source: '(?:a{1,1000}){1,1000}', reason: /too large/ },
  ])('refuses $source and says why [tool:schema-at-registration]', ({ source, reason }) => {
    expect(() => compilePattern(source)).toThrow(PatternRefusal);
    expect(() => compilePattern(source)).toThrow(reason);
  });

  it('has a text of its own for each pattern, by which a validator tells them apart [schema:2020-12]', () => {
    expect(String(compilePattern('^a$'))).not.toBe(String(compilePattern('^b$')));
  });
});
