import { describe, expect, it } from 'vitest';
import { ValidatorCache } from '../../../src/registry/validator-cache.js';

const schema = (maxLength: number) => ({ type: 'object', properties: { v: { maxLength } } }) as const;

describe('ValidatorCache', () => {
  it('compiles equal schemas once and keeps the ones used last [schema:bounded]', () => {
    const cache = new ValidatorCache(2);
    const first = cache.of(schema(1), 'own');
    const second = cache.of(schema(2), 'own');
    expect(cache.of(schema(1), 'own')).toBe(first);
    cache.of(schema(3), 'own');
    expect(cache.of(schema(1), 'own')).toBe(first);
    expect(cache.of(schema(2), 'own')).not.toBe(second);
  });

  it('keeps a foreign schema apart from an equal one of our own [schema:unknown-keywords]', () => {
    const cache = new ValidatorCache();
    const loose = { type: 'object', properties: { v: { patern: 'a' } } } as const;
    expect(cache.of(loose, 'foreign')({ v: 'b' })).toBeUndefined();
    expect(() => cache.of(loose, 'own')).toThrow('did you mean pattern');
  });
});
