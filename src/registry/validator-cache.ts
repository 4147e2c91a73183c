import type { Digest, JsonObject } from '../contract/json.js';
import { digestOf } from '../digest.js';
import type { SchemaOrigin } from './read-schema.js';
import { compileSchema, type SchemaValidator } from './schema-validator.js';

/** Compiled schemas, of which the ones used last are kept: recorded schemas of older runs are compiled too. */
export class ValidatorCache {
  readonly #kept = new Map<`${SchemaOrigin} ${Digest}`, SchemaValidator>();

  constructor(private readonly most = 256) {}

  /** The validator of a schema. Throws SchemaRefusal when it cannot be compiled. */
  of(schema: JsonObject, origin: SchemaOrigin): SchemaValidator {
    const key = `${origin} ${digestOf(schema)}` as const;
    const validator = this.#kept.get(key) ?? compileSchema(schema, origin);
    this.#kept.delete(key);
    this.#kept.set(key, validator);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.most && oldest !== undefined) this.#kept.delete(oldest);
    return validator;
  }
}
