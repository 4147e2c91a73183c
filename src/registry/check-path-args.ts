import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { atPointer } from './local-reference.js';
import { stepsOf } from './path-args.js';

/** Root properties that are taken for paths although undeclared (`tool:path-args-legacy`). */
const LEGACY_NAMES = ['path', 'source', 'destination', 'cwd'] as const;
const PATH_ARGUMENT = /^[^.[\]]+(\[\])*(\.[^.[\]]+(\[\])*)*$/;

/**
 * Why a declared path argument, such as `items[].file`, does not fit the schema: each name must be a property
 * and `[]` an array, so that valid arguments hold a string there and nothing else (`tool:path-args`).
 * Undefined when it fits.
 */
export function pathArgumentFault(schema: JsonObject, declared: unknown): string | undefined {
  if (typeof declared !== 'string' || !PATH_ARGUMENT.test(declared)) {
    return 'is no path argument; write one such as source, job.from, paths[] or items[].file';
  }
  let place = '';
  let here: JsonValue | undefined = schema;
  for (const step of stepsOf(declared)) {
    const wanted = step === '[]' ? 'array' : 'object';
    if (!isJsonObject(here) || here['type'] !== wanted) {
      return `names ${place === '' ? 'nothing' : place}, which is no ${wanted} in the schema`;
    }
    if (step === '[]') {
      if (here['prefixItems'] !== undefined) return `names the items of ${place}, which has prefixItems`;
      here = resolved(schema, here['items']);
      place += step;
    } else {
      here = resolved(schema, ownMember(here['properties'], step));
      place += place === '' ? step : `.${step}`;
      if (here === undefined) return `names ${place}, which is no property of the schema`;
    }
  }
  if (isJsonObject(here) && here['type'] === 'string') return undefined;
  const isList = isJsonObject(here) && here['type'] === 'array';
  return `names ${place}, which is no string property${isList ? `; for an array of paths write ${place}[]` : ''}`;
}

/**
 * The legacy names under which a string may come at the root, as far as the schema names them: in its own
 * properties or in those of a schema that applies to the same object.
 */
export function legacyPathArguments(schema: JsonObject): readonly string[] {
  const parts = sameObject(schema, schema, new Set());
  return LEGACY_NAMES.filter((name) =>
    parts.some((part) => mayBeString(resolved(schema, ownMember(part['properties'], name)))),
  );
}

/** A schema and all that its in-place keywords apply to the same value. */
function sameObject(
  root: JsonObject,
  schema: JsonValue | undefined,
  seen: Set<JsonObject>,
): readonly JsonObject[] {
  if (!isJsonObject(schema) || seen.has(schema)) return [];
  seen.add(schema);
  const { $ref, allOf, anyOf, oneOf } = schema;
  const dependent = [schema['dependentSchemas'], schema['dependencies']];
  const parts = [
    ...[allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : [])),
    schema['if'],
    schema['then'],
    schema['else'],
    ...dependent.flatMap((map) => (isJsonObject(map) ? Object.values(map) : [])),
    typeof $ref === 'string' ? atPointer(root, $ref) : undefined,
  ];
  return [schema, ...parts.flatMap((part) => sameObject(root, part, seen))];
}

/** False only where the type rules a string out: what cannot be told is guarded. */
function mayBeString(schema: JsonValue | undefined): boolean {
  if (schema === undefined || schema === false) return false;
  if (!isJsonObject(schema)) return true;
  const { type } = schema;
  return type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'));
}

function ownMember(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Follows references inside the schema; one that goes in a circle is nothing. */
function resolved(root: JsonObject, schema: JsonValue | undefined): JsonValue | undefined {
  const seen = new Set<string>();
  let here = schema;
  while (isJsonObject(here) && typeof here['$ref'] === 'string' && here['type'] === undefined) {
    const target = here['$ref'];
    if (seen.has(target)) return undefined;
    seen.add(target);
    here = atPointer(root, target);
  }
  return here;
}
