import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../../src/models/retry-after.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('Retry-After', () => {
  it.each<[unknown, number | undefined]>([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': ' 2 ' }, 2000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250.4' }, 251],
    [{ 'retry-after-ms': '250', 'retry-after': '2' }, 250],
    [{ 'retry-after-ms': 'x', 'retry-after': '2' }, 2000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:59:30 GMT' }, undefined],
    [{ 'retry-after': '0' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{ 'retry-after': '1e99' }, undefined],
    [{ 'retry-after': '9999999999' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': 2 }, undefined],
    [{}, undefined],
    [undefined, undefined],
    ['retry-after: 2', undefined],
  ])('%j means %s ms [model:failures]', (headers, wait) => {
    expect(retryAfterMs(headers, NOW)).toBe(wait);
  });
});
