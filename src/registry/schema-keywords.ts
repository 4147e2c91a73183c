/** What a keyword's value is: a schema, a list or a map of schemas, or a value that holds none. */
export type KeywordKind = 'schema' | 'schemas' | 'schemaMap' | 'value';

/** Every keyword of draft 2020-12 that a tool's schema may have. */
export const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map([
  ...named('schema', 'additionalProperties unevaluatedProperties items contains propertyNames'),
  ...named('schema', 'not if then else contentSchema'),
  ...named('schemas', 'prefixItems allOf anyOf oneOf'),
  ...named('schemaMap', 'properties patternProperties dependentSchemas $defs definitions'),
  ...named('value', '$schema $id $ref $anchor $comment title description default examples deprecated'),
  ...named('value', 'readOnly writeOnly type enum const multipleOf maximum exclusiveMaximum minimum'),
  ...named('value', 'exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains'),
  ...named('value', 'minContains maxProperties minProperties required dependentRequired format'),
  ...named('value', 'contentEncoding contentMediaType'),
]);

/** Keywords of the standard that are refused, and why. */
export const REFUSED_KEYWORDS: ReadonlyMap<string, string> = new Map([
  ...['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$vocabulary'].map(
    (name) => [name, 'is not supported; use $ref and $defs'] as const,
  ),
  ['unevaluatedItems', 'is not supported; use items: false beside prefixItems'],
  ['additionalItems', 'is of an older draft; use items beside prefixItems'],
  ['dependencies', 'is of an older draft; use dependentRequired or dependentSchemas'],
  ['nullable', 'is not of JSON Schema; use type: ["…", "null"]'],
  ['id', 'is of an older draft; leave it out'],
  ['example', 'is not of JSON Schema; use examples'],
  ['discriminator', 'is not of JSON Schema; use oneOf with const'],
]);

/** The standard formats that are asserted (`schema:format`). */
export const FORMATS = [
  'date',
  'time',
  'date-time',
  'duration',
  'uri',
  'uri-reference',
  'uri-template',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'regex',
  'uuid',
  'json-pointer',
  'relative-json-pointer',
] as const;

function named(kind: KeywordKind, names: string): (readonly [string, KeywordKind])[] {
  return names.split(' ').map((name) => [name, kind]);
}
