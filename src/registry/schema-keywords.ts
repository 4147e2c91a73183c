/** What a keyword's value is: a schema or a list of them, a map of schemas, or a value that holds none. */
export type KeywordKind = 'schema' | 'schemaMap' | 'value';

const EVERY_DRAFT: readonly (readonly [string, KeywordKind])[] = [
  ...named('schema', 'additionalProperties items contains propertyNames not if then else allOf anyOf oneOf'),
  ...named('schemaMap', 'properties patternProperties $defs definitions'),
  ...named('value', '$schema $id $ref $comment title description default examples readOnly writeOnly'),
  ...named('value', 'type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum'),
  ...named('value', 'maxLength minLength pattern maxItems minItems uniqueItems maxProperties minProperties'),
  ...named('value', 'required format contentEncoding contentMediaType'),
];

/** Every keyword of draft 2020-12 that a tool's schema may have. */
export const KEYWORDS_2020: ReadonlyMap<string, KeywordKind> = new Map([
  ...EVERY_DRAFT,
  ...named('schema', 'unevaluatedProperties contentSchema prefixItems'),
  ...named('schemaMap', 'dependentSchemas'),
  ...named('value', '$anchor deprecated maxContains minContains dependentRequired'),
]);

/** Those of draft-07, and `$defs`, to which schemas of that draft refer although it is of a later one. */
export const KEYWORDS_07: ReadonlyMap<string, KeywordKind> = new Map([
  ...EVERY_DRAFT,
  ...named('schema', 'additionalItems'),
  // Schemas, or lists of names.
  ...named('schemaMap', 'dependencies'),
]);

/** Keywords of draft 2020-12, or of an older one, whose meaning would be lost; refused in whatever tool. */
export const UNSUPPORTED_2020: ReadonlyMap<string, string> = new Map([
  ...['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$vocabulary'].map(
    (name) => [name, 'is not supported; use $ref and $defs'] as const,
  ),
  ['unevaluatedItems', 'is not supported; use items: false beside prefixItems'],
  ['additionalItems', 'is of an older draft; use items beside prefixItems'],
  ['dependencies', 'is of an older draft; use dependentRequired or dependentSchemas'],
]);

/** Words of other vocabularies that our own tools are refused, and what to write instead. */
export const FOREIGN_WORDS: ReadonlyMap<string, string> = new Map([
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
