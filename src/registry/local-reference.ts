import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';

/**
 * The value at a JSON pointer fragment (`#`, `#/$defs/a`) of a schema, or undefined. Own members only, so that
 * `#/$defs/toString` is nothing unless the schema defines it.
 */
export function atPointer(schema: JsonObject, fragment: string): JsonValue | undefined {
  const [head, ...segments] = fragment.split('/').map(unescape);
  if (head !== '#') return undefined;
  let value: JsonValue | undefined = schema;
  for (const segment of segments) {
    if (segment === undefined || !(isJsonObject(value) || Array.isArray(value))) return undefined;
    const members: [string, JsonValue | undefined][] = Object.entries(value);
    value = members.find(([name]) => name === segment)?.[1];
  }
  return value;
}

/** A JSON pointer fragment one step deeper. */
export function deeper(place: string, segment: string | number): string {
  return `${place}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function unescape(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
