import type { Options, ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { JsonObject } from '../contract/json.js';
import { checkSchema } from './check-schema.js';
import { addEqualityKeywords } from './equality-keywords.js';
import { compilePattern } from './linear-pattern.js';
import { addMultipleOfKeyword } from './multiple-of-keyword.js';
import type { DialectRules } from './dialects.js';
import { readSchema, type SchemaOrigin } from './read-schema.js';
import { FORMATS } from './schema-keywords.js';
import { SchemaRefusal } from './schema-refusal.js';
import { faultOf, type SchemaFault } from './validation-text.js';

/**
 * Judges a value: undefined when it fits, else the fault and its place (`schema:before-handler`). Changes nothing in the value (`schema:no-coercion`). A value
 * that cannot be judged does not fit. Never throws.
 */
export type SchemaValidator = (value: unknown) => SchemaFault | undefined;

const OPTIONS: Options = {
  strict: true,
  // Matters of style, in which published schemas differ.
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  allowMatchingProperties: true,
  ownProperties: true,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  // The first fault ends the check, whatever the size of the arguments (`schema:bounded`).
  allErrors: false,
  verbose: true,
  messages: false,
  logger: false,
  // readSchema has asked the metaschema.
  meta: false,
  validateSchema: false,
};

/**
 * Compiles a schema whose root is an object schema, by its dialect (`tool:schema-at-registration`). No network
 * or file is touched (`schema:refs`), and the schema may change afterwards without effect. Each has an ajv of
 * its own, so that two schemas of one `$id` never meet. Throws SchemaRefusal.
 */
export function compileSchema(schema: unknown, origin: SchemaOrigin = 'own'): SchemaValidator {
  const { effective, dialect } = readSchema(schema, origin);
  const { patterns, extensions } = checkSchema(effective, dialect);
  const regExp = Object.assign((source: string) => patterns.get(source) ?? compilePattern(source), {
    code: '',
  });
  const ajv = dialect.createAjv({ ...OPTIONS, code: { regExp } });
  ajvFormats.default(ajv, [...FORMATS]);
  addEqualityKeywords(ajv);
  addMultipleOfKeyword(ajv);
  // ajv follows $anchor, but its strict mode does not know the word.
  ajv.addVocabulary(['$anchor', ...extensions]);
  return judgeBy(compile(ajv, effective));
}

function compile(ajv: ReturnType<DialectRules['createAjv']>, schema: JsonObject): ValidateFunction {
  try {
    return ajv.compile(schema);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'no reason given';
    throw new SchemaRefusal('#', `cannot be compiled: ${why}`, { cause });
  }
}

function judgeBy(validate: ValidateFunction): SchemaValidator {
  return (value) => {
    try {
      return validate(value) ? undefined : faultOf(validate.errors ?? []);
    } catch {
      return { text: 'It could not be checked against the schema; send something simpler.' };
    } finally {
      // They hold the value.
      validate.errors = null;
    }
  };
}
