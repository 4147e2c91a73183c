import { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonValue } from '../contract/json.js';
import type { ObjectSchema } from '../contract/tool.js';
import { NotJsonError, plainJson } from './plain-json.js';
import { SchemaRefusal } from './schema-refusal.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const metaschema = new Ajv2020({ strict: false, validateFormats: false, logger: false });

/**
 * A schema as plain JSON of its own: an object schema of draft 2020-12 that its metaschema accepts. Throws
 * SchemaRefusal. What the metaschema leaves open, such as references and patterns, is not judged here.
 */
export function readSchema(schema: unknown): ObjectSchema {
  const plain = toJson(schema);
  if (!isJsonObject(plain)) throw new SchemaRefusal('#', 'must be an object schema');
  const { $schema: dialect = DIALECT } = plain;
  if (dialect !== DIALECT && dialect !== `${DIALECT}#`) {
    throw new SchemaRefusal('#/$schema', `must be ${DIALECT}, or be left out`);
  }
  if (!isObjectSchema(plain)) throw new SchemaRefusal('#/type', 'must be "object": arguments are an object');
  if (metaschema.validate(DIALECT, plain)) return plain;
  const fault = metaschema.errors?.[0];
  throw new SchemaRefusal(`#${fault?.instancePath ?? ''}`, fault?.message ?? 'is no JSON Schema');
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

function isObjectSchema(value: { readonly [member: string]: JsonValue | undefined }): value is ObjectSchema {
  return Object.hasOwn(value, 'type') && value['type'] === 'object';
}
