import { describe, expect, it } from 'vitest';
import { NotJsonError, plainJson } from '../../../src/registry/plain-json.js';

const circle: Record<string, unknown> = {};
circle['self'] = { circle };

describe('plainJson', () => {
  it.each([
    { what: 'scalars', value: [null, true, 0, -1.5, 'a'], copy: [null, true, 0, -1.5, 'a'] },
    { what: 'undefined members, which it leaves out', value: { a: undefined, b: 1 }, copy: { b: 1 } },
    { what: 'symbol members, which it leaves out', value: { [Symbol('kind')]: 1, b: 1 }, copy: { b: 1 } },
    {
      what: 'objects without a prototype',
      value: Object.assign(Object.create(null), { a: 1 }),
      copy: { a: 1 },
    },
  ])('copies $what [tool:handler-result]', ({ value, copy }) => {
    expect(plainJson(value)).toEqual(copy);
  });

  it('keeps a member named __proto__ an ordinary one [schema:own-properties]', () => {
    const copy = plainJson(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(Object.keys(copy ?? {})).toEqual(['__proto__']);
    expect(copy).not.toHaveProperty('polluted');
  });

  it.each([
    { what: 'BigInt', value: { n: 1n }, place: '#/n' },
    { what: 'NaN', value: [Number.NaN], place: '#/0' },
    { what: 'a function', value: { f: () => 1 }, place: '#/f' },
    { what: 'undefined in an array', value: [undefined], place: '#/0' },
    { what: 'a Map', value: { m: new Map() }, place: '#/m' },
    { what: 'a Date', value: new Date(0), place: '#' },
    { what: 'half of a surrogate pair', value: { s: '\ud800' }, place: '#/s' },
    { what: 'a circle', value: circle, place: 'nested' },
  ])('refuses $what and says where [tool:handler-throws]', ({ value, place }) => {
    expect(() => plainJson(value)).toThrow(NotJsonError);
    expect(() => plainJson(value)).toThrow(place);
  });
});
