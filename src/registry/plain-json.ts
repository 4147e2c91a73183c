import { LIMITS } from '../contract/limits.js';
import type { JsonValue } from '../contract/json.js';

/** What in a value JSON cannot carry, and where. */
export class NotJsonError extends Error {
  override readonly name = 'NotJsonError';
}

/**
 * A deep copy of a value that is JSON through and through. Members that are undefined are left out, as JSON
 * does. Throws NotJsonError for all that JSON.stringify would drop, change or fail on: functions, BigInt, NaN,
 * class instances, holes, lone surrogates, cycles, and nesting deeper than JSON may have here.
 */
export function plainJson(value: unknown, place = '#', depth = 0): JsonValue {
  const refuse = (what: string): NotJsonError => new NotJsonError(`${place} ${what}`);
  if (depth > LIMITS.jsonDepth) throw new NotJsonError('it is nested too deeply, or in itself');
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refuse('is a number that JSON cannot carry');
    return value;
  }
  if (typeof value === 'string') {
    if (!isWellFormed(value)) throw refuse('holds half of a surrogate pair');
    return value;
  }
  if (Array.isArray(value)) {
    return Array.from(value, (item: unknown, i) => plainJson(item, `${place}/${i}`, depth + 1));
  }
  if (typeof value !== 'object') throw refuse(`is ${typeof value}, which JSON cannot carry`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) throw refuse('is no plain object');
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // fromEntries defines members, so that one named __proto__ stays an ordinary member.
  return Object.fromEntries(
    members.map(([name, member]) => {
      if (!isWellFormed(name)) throw refuse('has a name with half of a surrogate pair');
      return [name, plainJson(member, `${place}/${name}`, depth + 1)];
    }),
  );
}

/** True when a string holds no half of a surrogate pair, which has no UTF-8 and no canonical JSON. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
