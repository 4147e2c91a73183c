import type { ErrorObject } from 'ajv/dist/2020.js';
import { isJsonObject } from '../contract/json.js';
import { LIMITS } from '../contract/limits.js';
import { isOfType, jsonTypeOf } from './json-type.js';
import { didYouMean } from './near-name.js';
import { escapedStep, member, nameText, placeOf } from './place.js';

/** Longest list, and longest text of the schema's author, that a fault repeats. */
const LISTED = 20;
const QUOTED = 200;

/** Why a value does not fit its schema. */
export interface SchemaFault {
  /** A sentence that names the place, what was expected and what type came, never a value. */
  readonly text: string;
  /**
   * JSON Pointer (RFC 6901) to the faulty value, to the member that is not allowed, or to the object in which one is
   * missing; empty for the whole value. Absent when it is not known, or longer than LIMITS.pointerCharacters.
   */
  readonly at?: string;
}

/**
 * A fault as a model can act on it (`schema:before-handler`). `errors` is what ajv gives without allErrors: the last
 * one is the fault, those before it are why the branches of a union did not fit.
 */
export function faultOf(errors: readonly ErrorObject[]): SchemaFault {
  const fault = errors.at(-1);
  if (!fault) return { text: 'It does not fit the schema.' };
  const text = `${describe(fault, errors.slice(0, -1))}.`;
  const pointer = pointerTo(fault);
  return pointer.length > LIMITS.pointerCharacters ? { text } : { text, at: pointer };
}

function pointerTo({ instancePath, params }: ErrorObject): string {
  const names: readonly unknown[] = [
    params['additionalProperty'],
    params['unevaluatedProperty'],
    params['propertyName'],
  ];
  const name = names.find((each) => typeof each === 'string');
  return name === undefined ? instancePath : `${instancePath}/${escapedStep(name)}`;
}

const UNIONS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'if', 'propertyNames', 'contains']);

function describe(error: ErrorObject, causes: readonly ErrorObject[]): string {
  const { instancePath, keyword, params, data } = error;
  const place = placeOf(instancePath);
  switch (keyword) {
    case 'required':
      return missing(
        place,
        names(error.schema).filter((name) => !hasOwn(data, name)),
        'required, but missing',
      );
    case 'dependencies':
    case 'dependentRequired':
      return missing(
        place,
        [params['missingProperty']],
        `required beside ${nameText(String(params['property']))}, but missing`,
      );
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return extra(place, error);
    case 'propertyNames':
      return `${at(place)}: the name ${nameText(String(params['propertyName']))} is not allowed`;
    case 'if':
      return reasons(causes) || `${at(place)}: does not fit the schema's condition`;
    case 'anyOf':
      return `${at(place)}: fits none of the allowed forms (${reasons(causes)})`;
    case 'oneOf':
      return params['passingSchemas']
        ? `${at(place)}: fits more than one of the allowed forms, of which exactly one must fit`
        : `${at(place)}: fits none of the allowed forms (${reasons(causes)})`;
    case 'false schema':
      return `${at(place)}: not allowed here`;
    default: {
      const [expected, got] = EXPECTATIONS[keyword]?.(quoted(error.schema), error) ?? [
        'another value',
        jsonTypeOf(data),
      ];
      return `${at(place)}: expected ${expected}, got ${got}`;
    }
  }
}

/** `limit` is the keyword's value as text. */
type Expectation = (limit: string, error: ErrorObject) => readonly [expected: string, got: string];

const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
  type: (_, { data, schema }) => {
    const wanted = names(typeof schema === 'string' ? [schema] : schema);
    return [wanted.join(' or '), `${jsonTypeOf(data)}${stringHint(data, wanted)}`];
  },
  enum: (_, { data, schema }) => [`one of ${list(schema)}`, `another ${jsonTypeOf(data)}`],
  const: (value, { data }) => [value, `another ${jsonTypeOf(data)}`],
  minLength: (n) => [`a string of at least ${n} characters`, 'a shorter string'],
  maxLength: (n) => [`a string of at most ${n} characters`, 'a longer string'],
  pattern: (pattern) => [`a string that matches ${pattern}`, 'another string'],
  format: (format) => [`a string of the format ${format}`, 'another string'],
  minimum: (n) => [`a number of at least ${n}`, 'a smaller number'],
  maximum: (n) => [`a number of at most ${n}`, 'a larger number'],
  exclusiveMinimum: (n) => [`a number above ${n}`, 'a smaller number'],
  exclusiveMaximum: (n) => [`a number below ${n}`, 'a larger number'],
  multipleOf: (n) => [`a multiple of ${n}`, 'another number'],
  minItems: (n) => [`an array of at least ${n} items`, 'a shorter array'],
  maxItems: (n) => [`an array of at most ${n} items`, 'a longer array'],
  items: (_, { params }) => [`an array of at most ${params['limit']} items`, 'a longer array'],
  additionalItems: (_, { params }) => [`an array of at most ${params['limit']} items`, 'a longer array'],
  uniqueItems: () => ['an array whose items all differ', 'an array with equal items'],
  contains: (_, { params }) => [
    `an array with at least ${params['minContains']} fitting items`,
    'another array',
  ],
  minProperties: (n) => [`an object of at least ${n} properties`, 'a smaller object'],
  maxProperties: (n) => [`an object of at most ${n} properties`, 'a larger object'],
  not: (_, { data }) => ['something else', `a forbidden ${jsonTypeOf(data)}`],
};

/** Models send nested values as text; saying so is what ends it (`schema:strict-json`). */
function stringHint(data: unknown, wanted: readonly string[]): string {
  if (typeof data !== 'string') return '';
  try {
    if (!isOfType(JSON.parse(data), wanted)) return '';
  } catch {
    return '';
  }
  return ` that holds JSON; send the ${wanted.join(' or ')} itself, not a string`;
}

function extra(place: string, { parentSchema, data, params }: ErrorObject): string {
  const properties: unknown = parentSchema?.['properties'];
  const known = isJsonObject(properties) ? Object.keys(properties) : [];
  const [first, named] = [params['additionalProperty'], params['unevaluatedProperty']];
  const name = String(first ?? named);
  const allowed = known.filter((other) => !hasOwn(data, other));
  const hint =
    didYouMean(name, allowed) || (known.length > 0 ? `; allowed are ${list(known, nameText)}` : '');
  return `${member(place, name)}: not allowed here${hint}`;
}

function missing(place: string, absent: readonly unknown[], what: string): string {
  return `${list(absent, (name) => member(place, name))}: ${what}`;
}

/** What each branch of a union expected. */
function reasons(causes: readonly ErrorObject[]): string {
  const leaves = causes.filter(({ keyword }) => !UNIONS.has(keyword)).map((cause) => describe(cause, []));
  return [...new Set(leaves)].slice(0, 4).join('; or ');
}

function at(place: string): string {
  return place === '' ? 'the whole value' : place;
}

function names(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function hasOwn(data: unknown, name: string): boolean {
  return isJsonObject(data) && Object.hasOwn(data, name);
}

function list(values: unknown, show: (value: string) => string = quoted): string {
  const shown = (Array.isArray(values) ? values : []).map(show);
  const more = shown.length - LISTED;
  return shown.slice(0, LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function quoted(value: unknown): string {
  return cut(JSON.stringify(value));
}

function cut(text: string): string {
  return text.length <= QUOTED ? text : `${text.slice(0, QUOTED)}…`;
}
