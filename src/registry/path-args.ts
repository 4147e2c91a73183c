import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';

/** What must stand at a place: a path, or what leads to one. */
export type WantedThere = 'string' | 'object' | 'array';

/**
 * Calls `visit` for every value that a declared path argument names, with its concrete place, such as
 * `items[0].file`, and gives a copy of `args` in which the answers stand instead. Where the way to a path is
 * blocked by another kind of value, that value is visited, with what should be there. What is absent is not
 * visited: whether it may be absent is the schema's to say. Own members only (`tool:path-args`).
 *
 * @param pathArgs as `source`, `job.from`, `paths[]`, `items[].file`.
 */
export function mapPathArgs(
  args: JsonObject,
  pathArgs: readonly string[],
  visit: (place: string, value: JsonValue, wanted: WantedThere) => JsonValue,
): JsonObject {
  const map = (value: JsonValue, [step, ...rest]: readonly string[], place: string): JsonValue => {
    if (step === undefined) return visit(place, value, 'string');
    if (step === '[]') {
      if (!isList(value)) return visit(place, value, 'array');
      return value.map((item, index) => map(item, rest, `${place}[${index}]`));
    }
    return isJsonObject(value) ? mapMember(value, step, rest, place) : visit(place, value, 'object');
  };
  const mapMember = (
    object: JsonObject,
    name: string,
    rest: readonly string[],
    place: string,
  ): JsonObject => {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value === undefined) return object;
    return { ...object, [name]: map(value, rest, place === '' ? name : `${place}.${name}`) };
  };
  return pathArgs.reduce((mapped, declared) => {
    const [name = '', ...rest] = stepsOf(declared);
    return mapMember(mapped, name, rest, '');
  }, args);
}

/** The steps of a declared path argument: `items`, `[]`, `file` of `items[].file`. */
export function stepsOf(declared: string): readonly string[] {
  return declared.split(/\.|(?=\[\])/);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
