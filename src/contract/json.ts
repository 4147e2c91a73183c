/** Any value that JSON can carry. Everything that crosses a boundary is one of these. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. Own members only; a member named `__proto__` is an ordinary member. */
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
}

/** True for what JSON calls an object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Bytes of a value's JSON in UTF-8: what it takes in a payload. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** Lower-case hexadecimal SHA-256, 64 characters. */
export type Digest = string;
