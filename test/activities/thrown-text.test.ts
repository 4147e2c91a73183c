import { describe, expect, it } from 'vitest';
import { thrownText } from '../../activities/thrown-text.js';

describe('thrownText', () => {
  it.each([
    { message: "ENOENT: open '/t/w+s/a.txt'", says: "ENOENT: open './a.txt'" },
    { message: 'in /t/w+s', says: 'in .' },
    { message: '/t/w+s/a and /t/w+s/b', says: './a and ./b' },
    { message: 'in /t/w+s-evil/a', says: 'in /t/w+s-evil/a' },
    { message: 'in /t/wws/a', says: 'in /t/wws/a' },
  ])('writes the root of the workspace as a dot: $message [events:no-args]', ({ message, says }) => {
    expect(thrownText(new Error(message), '/t/w+s')).toBe(`The tool failed: ${says}`);
  });

  it.each([null, 7, () => 'x', Symbol('s'), {}, { message: 7 }, new Error('  ')])(
    'finds no reason in %s [tool:handler-throws]',
    (thrown) => {
      expect(thrownText(thrown, '/t/ws')).toBe('The tool failed and gave no reason.');
    },
  );
});
