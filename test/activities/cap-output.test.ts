import { describe, expect, it } from 'vitest';
import { capOutput } from '../../activities/cap-output.js';

const lines = (n: number): string => Array.from({ length: n }, (_, i) => `line ${i + 1}`).join('\n');

describe('capOutput', () => {
  it.each([
    { what: 'no text', text: '' },
    { what: 'text of exactly the limit', text: 'x'.repeat(51_200) },
    { what: '2,000 lines', text: lines(2000) },
    {
      what: '2,000 lines and a notice of the tool itself',
      text: `${lines(2000)}\n\n[Go on with offset 2001.]`,
    },
    { what: 'control characters', text: '\u0000\u001b[31m\r\n' },
  ])('leaves $what as it is [outcome:size]', ({ text }) => {
    expect(capOutput(text, 51_200)).toBe(text);
  });

  it.each([0, 1, 2, 3])(
    'cuts at a character, with %i bytes before characters of four [outcome:size]',
    (offset) => {
      const text = 'x'.repeat(offset) + '😀'.repeat(1000);
      const shown = capOutput(text, 1024);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(1024);
      expect(shown).toMatch(/^x{0,3}(😀)+\n\n\[Output cut: \d+ of \d+ bytes, 1 of 1 lines are shown\./u);
    },
  );

  it('ends its notice with further words, and stays within the limit [outcome:size]', () => {
    const words = ` The whole was kept for people, under ${'a'.repeat(64)}.`;
    const shown = capOutput('x'.repeat(5000), 1024, words);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(1024);
    expect(shown.endsWith(` for a later part.${words}]`)).toBe(true);
    expect(capOutput('x', 1024, words)).toBe('x');
  });

  it('cuts after 2,000 lines and says how many there were [outcome:size]', () => {
    const shown = capOutput(lines(2005), 51_200);
    expect(shown).toContain('line 2000\n\n[Output cut: ');
    expect(shown).toContain('2000 of 2005 lines');
    expect(shown).not.toContain('line 2001');
  });
});
