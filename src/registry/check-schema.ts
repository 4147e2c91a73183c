import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { compilePattern, PatternRefusal, type LinearPattern } from './linear-pattern.js';
import { atPointer, deeper } from './local-reference.js';
import { didYouMean } from './near-name.js';
import type { DialectRules } from './dialects.js';
import { FOREIGN_WORDS, FORMATS } from './schema-keywords.js';
import { SchemaRefusal } from './schema-refusal.js';

/** What the validator needs to know of a schema that passed. */
export interface CheckedSchema {
  /** By their source, each compiled once. */
  readonly patterns: ReadonlyMap<string, LinearPattern>;
  /** The annotation keywords of the author's own, which begin with `x-`. */
  readonly extensions: ReadonlySet<string>;
}

const EXTENSION = /^x-[A-Za-z0-9_$:-]+$/;
/** What may stand beside a `$ref` that stands alone: nothing that judges a value. */
const BESIDE_REF: ReadonlySet<string> = new Set(
  '$ref $comment title description default examples readOnly writeOnly $defs definitions'.split(' '),
);

/**
 * Judges what the metaschema leaves open (`schema:refs`, `schema:unknown-keywords`, `schema:format`): keywords,
 * references, patterns, formats, and constructs that the validator is known to get wrong. The schema is the
 * effective one that readSchema gives. Throws SchemaRefusal.
 */
export function checkSchema(root: JsonObject, dialect: DialectRules): CheckedSchema {
  if (root['type'] !== 'object')
    throw new SchemaRefusal('#/type', 'must be "object": arguments are an object');
  const walk = new SchemaWalk(root, dialect);
  walk.schema(root, '#');
  walk.references();
  walk.combinations();
  return walk;
}

class SchemaWalk implements CheckedSchema {
  readonly patterns = new Map<string, LinearPattern>();
  readonly extensions = new Set<string>();
  readonly #schemas = new Set<JsonValue>();
  readonly #anchors = new Set<string>();
  /** Where `if` and `unevaluatedProperties` stand. */
  readonly #conditions: string[] = [];
  readonly #unevaluated: string[] = [];
  readonly #references: { readonly place: string; readonly target: string }[] = [];
  readonly #root: JsonObject;
  readonly #dialect: DialectRules;

  constructor(root: JsonObject, dialect: DialectRules) {
    this.#root = root;
    this.#dialect = dialect;
  }

  /** A schema, or a list of them. */
  schema(schema: JsonValue | undefined, place: string): void {
    listOf(schema).forEach((item, i) => this.schema(item, deeper(place, i)));
    if (!isJsonObject(schema)) return;
    this.#schemas.add(schema);
    const isReference = this.#dialect.refStandsAlone && schema['$ref'] !== undefined;
    for (const [keyword, value] of Object.entries(schema)) {
      const here = deeper(place, keyword);
      // The validator would judge by it, the dialect says not to. Arguments are an object in any case.
      if (isReference && !BESIDE_REF.has(keyword) && here !== '#/type') {
        throw new SchemaRefusal(here, 'stands beside $ref, where draft-07 ignores it; put both into allOf');
      }
      this.#keyword(keyword, value, here);
    }
  }

  /** Every reference leads to a schema that was walked, and so judged. */
  references(): void {
    for (const { place, target } of this.#references) {
      const found = target.startsWith('#/') || target === '#' ? atPointer(this.#root, target) : undefined;
      const known = typeof found === 'boolean' || (found !== undefined && this.#schemas.has(found));
      if (!known && !this.#anchors.has(target)) {
        throw new SchemaRefusal(place, 'must lead to a schema inside this one, such as #/$defs/name');
      }
    }
  }

  /** Measured on ajv 8.20: what an `if` alone evaluated is lost, so that a wrong value would pass. */
  combinations(): void {
    const [place] = this.#unevaluated;
    if (place !== undefined && this.#conditions.length > 0) {
      throw new SchemaRefusal(place, 'is not supported in a schema that has if; use anyOf or oneOf instead');
    }
  }

  #keyword(keyword: string, value: JsonValue | undefined, place: string): void {
    const { keywords, unsupported } = this.#dialect;
    const refused = unsupported.get(keyword) ?? FOREIGN_WORDS.get(keyword);
    if (refused !== undefined) throw new SchemaRefusal(place, refused);
    if (EXTENSION.test(keyword)) {
      this.extensions.add(keyword);
      return;
    }
    if (keyword === 'if') this.#conditions.push(place);
    if (keyword === 'unevaluatedProperties') this.#unevaluated.push(place);
    switch (keywords.get(keyword)) {
      case 'schema':
        return this.schema(value, place);
      case 'schemaMap':
        return this.#map(keyword, value, place);
      case 'value':
        return this.#value(keyword, value, place);
      case undefined:
        throw new SchemaRefusal(
          place,
          `is no keyword of JSON Schema 2020-12${didYouMean(keyword, keywords.keys()) || '; keywords of your own begin with x-'}`,
        );
    }
  }

  #map(keyword: string, value: JsonValue | undefined, place: string): void {
    if (!isJsonObject(value)) return;
    for (const [name, schema] of Object.entries(value)) {
      refuseProto(name, deeper(place, name));
      if (keyword === 'patternProperties') this.#pattern(name, deeper(place, name));
      if (keyword === 'dependencies') listOf(schema).forEach((n) => refuseProto(n, deeper(place, name)));
      this.schema(schema, deeper(place, name));
    }
  }

  #value(keyword: string, value: JsonValue | undefined, place: string): void {
    if (keyword === 'required') listOf(value).forEach((name) => refuseProto(name, place));
    if (keyword === 'dependentRequired' && isJsonObject(value)) {
      Object.entries(value).forEach(([name, names]) =>
        [name, ...listOf(names)].forEach((n) => refuseProto(n, place)),
      );
    }
    if (typeof value !== 'string') return;
    switch (keyword) {
      case '$schema':
        // The root's was judged and taken off by readSchema's caller.
        throw new SchemaRefusal(place, 'must stand at the root only');
      case '$id':
        if (place !== '#/$id' || /^[a-z][a-z0-9+.-]*:|^\/\//i.test(value)) {
          throw new SchemaRefusal(place, 'must not name a place elsewhere; leave it out');
        }
        return;
      case '$ref':
        this.#references.push({ place, target: value });
        return;
      case '$anchor':
        this.#anchors.add(`#${value}`);
        return;
      case 'pattern':
        return this.#pattern(value, place);
      case 'format':
        if (!FORMATS.some((format) => format === value)) {
          throw new SchemaRefusal(place, `is no format that is checked${didYouMean(value, FORMATS)}`);
        }
        return;
      default:
    }
  }

  #pattern(source: string, place: string): void {
    if (this.patterns.has(source)) return;
    try {
      this.patterns.set(source, compilePattern(source));
    } catch (error) {
      const reason = error instanceof PatternRefusal ? error.message : 'cannot be compiled';
      throw new SchemaRefusal(place, reason, { cause: error });
    }
  }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The validator skips a property of this name (measured: ajv 8.20), so that a wrong value would pass. */
function refuseProto(name: JsonValue, place: string): void {
  if (name === '__proto__')
    throw new SchemaRefusal(place, 'names a property __proto__, which is not supported');
}
