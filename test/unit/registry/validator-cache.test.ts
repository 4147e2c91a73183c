import { describe, expect, it } from 'vitest';
import { ValidatorCache } from '../../../src/registry/validator-cache.js';

const schema = (maxLength: number) => ({ type: 'object', properties: { v: { maxLength } } }) as const;

describe('ValidatorCache', () => {
  it('compiles equal schemas once and keeps the ones used last [schema:bounded]', () => {
    const cache = new ValidatorCache(2);
    const first = cache.of(schema(1));
    const second = cache.of(schema(2));
    expect(cache.of(schema(1))).toBe(first);
    cache.of(schema(3));
    expect(cache.of(schema(1))).toBe(first);
    expect(cache.of(schema(2))).not.toBe(second);
  });
});
