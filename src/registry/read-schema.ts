import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import type { IgnoredWords } from '../contract/manifest.js';
import type { ObjectSchema } from '../contract/tool.js';
import { DRAFT_07, DRAFT_2020, type DialectRules } from './dialects.js';
import { NotJsonError, plainJson } from './plain-json.js';
import { withoutUnknown } from './without-unknown.js';
import { SchemaRefusal } from './schema-refusal.js';

/** Whose schema it is: what nobody here can mend is read more leniently, never judged more leniently. */
export type SchemaOrigin = 'own' | 'foreign';

export interface ReadSchema {
  /** As it was written. */
  readonly parameters: ObjectSchema;
  readonly dialect: DialectRules;
  /** What is compiled: without `$schema` and, in a foreign schema, without the words that have no effect. */
  readonly effective: JsonObject;
  /** Omitted: there are none. */
  readonly ignored?: IgnoredWords;
}

const metaschemas = new Map(
  [DRAFT_2020, DRAFT_07].map((dialect) => [
    dialect,
    dialect.createAjv({ strict: false, validateFormats: false, verbose: true, logger: false }),
  ]),
);

/**
 * A schema as plain JSON of its own: an object schema that the metaschema of its dialect accepts. Our own are of
 * draft 2020-12; a foreign one may declare draft-07 too, and unknown keywords and formats in it count as
 * annotations (`schema:2020-12`, `schema:unknown-keywords`, `schema:format`). Throws SchemaRefusal. What the
 * metaschema leaves open, such as references and patterns, is not judged here.
 */
export function readSchema(schema: unknown, origin: SchemaOrigin): ReadSchema {
  const parameters = toJson(schema);
  if (!isJsonObject(parameters)) throw new SchemaRefusal('#', 'must be an object schema');
  const dialect = dialectOf(parameters['$schema'], origin);
  if (!isObjectSchema(parameters)) {
    throw new SchemaRefusal('#/type', 'must be "object": arguments are an object');
  }
  checkByMetaschema(parameters, dialect);
  const { $schema: _, ...plain } = parameters;
  if (origin === 'own') return { parameters, dialect, effective: plain };
  const { schema: effective, keywords, formats } = withoutUnknown(plain, dialect);
  const hasIgnored = keywords.length + formats.length > 0;
  return { parameters, dialect, effective, ...(hasIgnored && { ignored: { keywords, formats } }) };
}

function dialectOf(declared: JsonValue | undefined, origin: SchemaOrigin): DialectRules {
  const named = ({ uri }: DialectRules): boolean => declared === uri || declared === `${uri}#`;
  if (declared === undefined || named(DRAFT_2020)) return DRAFT_2020;
  if (origin === 'foreign' && named(DRAFT_07)) return DRAFT_07;
  const allowed = origin === 'foreign' ? `${DRAFT_2020.uri} or ${DRAFT_07.uri}#` : DRAFT_2020.uri;
  throw new SchemaRefusal('#/$schema', `must be ${allowed}, or be left out`);
}

function checkByMetaschema(schema: ObjectSchema, dialect: DialectRules): void {
  const metaschema = metaschemas.get(dialect);
  if (metaschema?.validate(dialect.uri, schema)) return;
  const fault = metaschema?.errors?.[0];
  const place = `#${fault?.instancePath ?? ''}`;
  if (place.endsWith('/items') && Array.isArray(fault?.data)) {
    throw new SchemaRefusal(place, 'is a list, as older drafts have it; use prefixItems');
  }
  throw new SchemaRefusal(place, fault?.message ?? 'is no JSON Schema');
}

function toJson(schema: unknown): JsonValue {
  try {
    return plainJson(schema);
  } catch (cause) {
    throw new SchemaRefusal('#', `is not JSON${cause instanceof NotJsonError ? `: ${cause.message}` : ''}`, {
      cause,
    });
  }
}

function isObjectSchema(value: JsonObject): value is ObjectSchema {
  return Object.hasOwn(value, 'type') && value['type'] === 'object';
}
