import {
  METADATA_ENCODING_KEY,
  RawValue,
  ValueError,
  type Payload,
  type PayloadConverter,
} from '@temporalio/common';
import { isJsonObject, type JsonObject } from './json.js';
import { LIMITS } from './limits.js';

const JSON_PLAIN = 'json/plain';
const NULL = 'binary/null';

const REASONS = [
  'it has no encoding',
  'its encoding is not json/plain',
  'it is not UTF-8',
  'it is nested too deeply',
  'it is not JSON',
  'it holds a number that is too large',
] as const;

/** What stands in place of a payload that could not be decoded. Plain JSON, so that it can travel on. */
export interface UndecodablePayload extends JsonObject {
  readonly holdfastUndecodable: true;
  /** Why, without any of the bytes. */
  readonly reason: (typeof REASONS)[number];
  readonly bytes: number;
}

/**
 * True for what the converter made of a payload that it could not decode. A sender can write such a value as
 * JSON too, so nothing in it is believed: one with a reason that is not ours is no such value.
 */
export function isUndecodable(value: unknown): value is UndecodablePayload {
  return (
    isJsonObject(value) &&
    value.holdfastUndecodable === true &&
    REASONS.some((reason) => reason === value.reason) &&
    typeof value.bytes === 'number'
  );
}

/**
 * The JSON-only payload converter, total in decoding: whatever bytes arrive, `fromPayload` gives a value and
 * never throws, since a throw would fail the workflow task again and again (`hitl:refused-decision`).
 *
 * Encoding throws a ValueError for what JSON cannot carry (functions, symbols, BigInt, NaN, a Map, bytes,
 * cycles) and for what decoding would refuse: that is a defect of the caller, and is not made smaller by
 * silently sending something else.
 */
class TotalJsonConverter implements PayloadConverter {
  toPayload(value: unknown): Payload {
    // The SDK's own answers, such as that of the stack trace query, come encoded.
    if (value instanceof RawValue) return value.payload;
    if (value === undefined) return { metadata: { [METADATA_ENCODING_KEY]: encode(NULL) } };
    return { metadata: { [METADATA_ENCODING_KEY]: encode(JSON_PLAIN) }, data: encode(stringify(value)) };
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the SDK's interface
  fromPayload<T>(payload: Payload): T {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- who asks for T validates it
    return decode(payload) as T;
  }
}

function decode(payload: Payload): unknown {
  const data = payload.data ?? new Uint8Array(0);
  const refuse = (reason: UndecodablePayload['reason']): UndecodablePayload => ({
    holdfastUndecodable: true,
    reason,
    bytes: data.length,
  });
  const encodingBytes = payload.metadata?.[METADATA_ENCODING_KEY];
  if (!encodingBytes) return refuse('it has no encoding');
  const encoding = decodeText(encodingBytes);
  if (encoding === NULL) return undefined;
  if (encoding !== JSON_PLAIN) return refuse('its encoding is not json/plain');
  const text = decodeText(data);
  if (text === undefined) return refuse('it is not UTF-8');
  if (nestsDeeperThan(text, LIMITS.payloadDepth)) return refuse('it is nested too deeply');
  try {
    const value: unknown = JSON.parse(text);
    return MAY_OVERFLOW.test(text) && overflows(value)
      ? refuse('it holds a number that is too large')
      : value;
  } catch {
    return refuse('it is not JSON');
  }
}

/** Only such a text can hold a number that JSON.parse makes Infinity of. */
const MAY_OVERFLOW = /\d[eE]\+?\d{2}|\d{308}/;

function overflows(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(overflows);
}

function stringify(value: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value, refuseUncarriable);
  } catch (cause) {
    if (cause instanceof ValueError) throw cause;
    throw new ValueError('JSON cannot carry a value that contains itself or fails. Pass plain JSON.', cause);
  }
  if (json === undefined)
    throw new ValueError('JSON cannot carry an object that is nothing. Pass plain JSON.');
  if (nestsDeeperThan(json, LIMITS.payloadDepth)) {
    throw new ValueError('This value is nested too deeply for a payload. Make it flatter.');
  }
  return json;
}

/** JSON.stringify would leave these out or send something else. */
function refuseUncarriable(_member: string, value: unknown): unknown {
  const what = kindOf(value);
  if (what !== undefined) throw new ValueError(`JSON cannot carry a ${what}. Pass plain JSON.`);
  return value;
}

/** The name of what JSON cannot carry, undefined for what it can. */
function kindOf(value: unknown): string | undefined {
  if (['function', 'symbol', 'bigint'].includes(typeof value)) return typeof value;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'number that is not finite';
  if (typeof value !== 'object' || value === null) return undefined;
  // By tag, since objects of the sandbox and of the process have different prototypes.
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  return ['Object', 'Array'].includes(tag) ? undefined : tag;
}

/** Counts brackets outside strings: an upper bound of the depth, for JSON and for what is none. */
function nestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === 0x5c) i += 1;
      else if (c === 0x22) inString = false;
    } else if (c === 0x22) inString = true;
    else if (c === 0x5b || c === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (c === 0x5d || c === 0x7d) depth -= 1;
  }
  return false;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Found by this name through `payloadConverterPath`, in clients, workers and the workflow sandbox alike. */
export const payloadConverter: PayloadConverter = new TotalJsonConverter();
