/** The JSON type of a value, by its name in JSON Schema; `number` for every number. */
export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object';
}

/** True when a value is of one of the types that a schema's `type` names. */
export function isOfType(value: unknown, types: readonly string[]): boolean {
  return types.includes(jsonTypeOf(value)) || (types.includes('integer') && Number.isInteger(value));
}
