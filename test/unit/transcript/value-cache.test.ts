import { describe, expect, it } from 'vitest';
import { ValueCache } from '../../../src/transcript/value-cache.js';

describe('ValueCache', () => {
  it('drops what was not used for longest first [run:transcript]', () => {
    const cache = new ValueCache(30);
    for (const name of ['a', 'b', 'c']) cache.set(name, { name }, 10);
    cache.get('a');
    cache.set('d', { name: 'd' }, 10);
    expect(['a', 'b', 'c', 'd'].map((name) => cache.get(name)?.name)).toEqual(['a', undefined, 'c', 'd']);
  });

  it('counts a value once that is set twice, and takes none that is larger than its bound [run:transcript]', () => {
    const cache = new ValueCache(20);
    cache.set('a', { name: 'a' }, 10);
    cache.set('a', { name: 'a' }, 10);
    cache.set('b', { name: 'b' }, 10);
    cache.set('c', { name: 'c' }, 21);
    expect(['a', 'b', 'c'].map((name) => cache.get(name)?.name)).toEqual(['a', 'b', undefined]);
  });
});
