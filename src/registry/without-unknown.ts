import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import type { IgnoredWords } from '../contract/manifest.js';
import type { DialectRules } from './dialects.js';
import { FORMATS } from './schema-keywords.js';

/**
 * A copy of a schema without the keywords that its dialect does not have and the formats that are not checked,
 * and their names, each once. They are taken out and not merely passed over, because the validator knows words
 * of its own, such as `$async` and `nullable`, that would change what it accepts (`schema:unknown-keywords`).
 */
export function withoutUnknown(
  schema: JsonObject,
  dialect: DialectRules,
): IgnoredWords & { readonly schema: JsonObject } {
  const keywords = new Set<string>();
  const formats = new Set<string>();
  const isKept = (keyword: string, value: JsonValue | undefined): boolean => {
    if (!dialect.keywords.has(keyword) && !dialect.unsupported.has(keyword)) {
      keywords.add(keyword);
      return false;
    }
    if (keyword !== 'format' || typeof value !== 'string' || FORMATS.some((known) => known === value)) {
      return true;
    }
    formats.add(value);
    return false;
  };
  const ofObject = (object: JsonObject): JsonObject =>
    mapMembers(
      Object.entries(object).filter(([keyword, value]) => isKept(keyword, value)),
      (keyword, value) => {
        const kind = dialect.keywords.get(keyword);
        if (kind === 'schema') return anyOf(value);
        return kind === 'schemaMap' && isJsonObject(value)
          ? mapMembers(Object.entries(value), (_, member) => anyOf(member))
          : value;
      },
    );
  const anyOf = (value: JsonValue | undefined): JsonValue | undefined => {
    if (isList(value)) return value.map((item) => anyOf(item) ?? null);
    return isJsonObject(value) ? ofObject(value) : value;
  };
  return { schema: ofObject(schema), keywords: [...keywords], formats: [...formats] };
}

/** fromEntries defines members, so that one named __proto__ stays an ordinary member. */
function mapMembers(
  members: readonly (readonly [string, JsonValue | undefined])[],
  change: (name: string, value: JsonValue | undefined) => JsonValue | undefined,
): JsonObject {
  return Object.fromEntries(members.map(([name, value]) => [name, change(name, value)]));
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
