import { describe, expect, it } from 'vitest';
import { ERROR_CODES, HoldfastError } from '../../../src/contract/error-codes.js';

const DOORS = ['call', 'decision', 'control', 'start', 'run', 'environment', 'http'];

describe('the table of error codes', () => {
  it.each(Object.entries(ERROR_CODES))(
    'has %s in snake_case, with a door and one sentence',
    (code, { door, meaning }) => {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(DOORS).toContain(door);
      expect(meaning).toMatch(/^\S[^.\n|]*[^\s.]\.$/);
    },
  );

  it('is sorted by door', () => {
    const doors = Object.values(ERROR_CODES).map(({ door }) => DOORS.indexOf(door));
    expect(doors).toEqual(doors.toSorted((a, b) => a - b));
  });
});

describe('HoldfastError', () => {
  it('carries its code, message and cause', () => {
    const cause = new Error('the wire broke');
    const error = new HoldfastError('temporal_unavailable', 'Start a server.', { cause });
    expect(error).toMatchObject({
      name: 'HoldfastError',
      code: 'temporal_unavailable',
      message: 'Start a server.',
      cause,
    });
  });
});
