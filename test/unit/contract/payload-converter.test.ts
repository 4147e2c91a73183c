import { RawValue, ValueError, type Payload } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { isUndecodable, payloadConverter } from '../../../src/contract/payload-converter.js';

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function jsonPayload(data: Uint8Array | string): Payload {
  return { metadata: { encoding: bytes('json/plain') }, data: typeof data === 'string' ? bytes(data) : data };
}

function decoded(payload: Payload): unknown {
  return payloadConverter.fromPayload(payload);
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

describe('decoding', () => {
  it.each<[what: string, payload: Payload, reason: string, size: number]>([
    ['nothing at all', {}, 'it has no encoding', 0],
    ['null in every field', { metadata: null, data: null }, 'it has no encoding', 0],
    ['bytes without metadata', { data: bytes('{}') }, 'it has no encoding', 2],
    [
      'metadata without encoding',
      { metadata: { other: bytes('x') }, data: bytes('{}') },
      'it has no encoding',
      2,
    ],
    ['an encoding of no bytes', encoded(''), 'its encoding is not json/plain', 2],
    ['raw bytes', encoded('binary/plain'), 'its encoding is not json/plain', 2],
    ['protobuf', encoded('binary/protobuf'), 'its encoding is not json/plain', 2],
    ['protobuf as JSON', encoded('json/protobuf'), 'its encoding is not json/plain', 2],
    ['what a codec left encrypted', encoded('binary/encrypted'), 'its encoding is not json/plain', 2],
    ['an encoding that is a member of Object', encoded('__proto__'), 'its encoding is not json/plain', 2],
    ['an encoding that is not UTF-8', encoded(new Uint8Array([0xff])), 'its encoding is not json/plain', 2],
    ['no JSON text', { metadata: { encoding: bytes('json/plain') } }, 'it is not JSON', 0],
    ['an empty text', jsonPayload(''), 'it is not JSON', 0],
    ['a word', jsonPayload('yes'), 'it is not JSON', 3],
    ['half an object', jsonPayload('{"a":'), 'it is not JSON', 5],
    ['two values', jsonPayload('{}{}'), 'it is not JSON', 4],
    ['NaN', jsonPayload('NaN'), 'it is not JSON', 3],
    ['a string without end', jsonPayload('"\\'), 'it is not JSON', 2],
    ['closing brackets', jsonPayload(']'.repeat(9) + nested(9)), 'it is not JSON', 27],
    ['bytes that are not UTF-8', jsonPayload(new Uint8Array([0x22, 0xc3, 0x28, 0x22])), 'it is not UTF-8', 4],
    [
      'a surrogate in UTF-8',
      jsonPayload(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])),
      'it is not UTF-8',
      5,
    ],
    ['a byte order mark of UTF-16', jsonPayload(new Uint8Array([0xff, 0xfe, 0x7b, 0])), 'it is not UTF-8', 4],
    ['deep nesting', jsonPayload(nested(20_000)), 'it is nested too deeply', 40_000],
    ['deep nesting without end', jsonPayload('{"a":'.repeat(20_000)), 'it is nested too deeply', 100_000],
    ['4 MB of no JSON', jsonPayload('a'.repeat(4_000_000)), 'it is not JSON', 4_000_000],
  ])('refuses %s with a reason and never throws [hitl:refused-decision]', (_what, payload, reason, size) => {
    const value = decoded(payload);
    expect(value).toEqual({ holdfastUndecodable: true, reason, bytes: size });
    expect(isUndecodable(value)).toBe(true);
  });

  it('gives a value for any bytes under any encoding [hitl:refused-decision]', () => {
    // A fixed sequence of numbers, so that a failure can be repeated.
    let seed = 20_260_101;
    const next = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 8) % below;
    };
    const alphabet = bytes('{}[]",:\\u0tfn1e-.  ');
    let refused = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const data = Uint8Array.from({ length: next(24) }, () =>
        next(8) === 0 ? next(256) : (alphabet[next(19)] ?? 0),
      );
      const metadata = next(9) === 0 ? { encoding: data } : { encoding: bytes('json/plain') };
      if (isUndecodable(decoded({ metadata, data }))) refused += 1;
    }
    expect(refused).toBeGreaterThan(10_000);
    expect(refused).toBeLessThan(20_000);
  });

  it.each([nested(LIMITS.payloadDepth), JSON.stringify('['.repeat(9_000)), '{"a":"\\"[[[[[[[["}'])(
    'keeps what is nested no deeper than a payload may be',
    (text) => {
      expect(decoded(jsonPayload(text))).toEqual(JSON.parse(text));
    },
  );

  it('refuses one level more', () => {
    expect(isUndecodable(decoded(jsonPayload(nested(LIMITS.payloadDepth + 1))))).toBe(true);
  });

  it('reads binary/null as undefined', () => {
    expect(decoded({ metadata: { encoding: bytes('binary/null') } })).toBeUndefined();
  });
});

function encoded(encoding: string | Uint8Array): Payload {
  return {
    metadata: { encoding: typeof encoding === 'string' ? bytes(encoding) : encoding },
    data: bytes('{}'),
  };
}

describe('what could not be decoded', () => {
  it('travels on as plain JSON', () => {
    const value = decoded({});
    expect(decoded(payloadConverter.toPayload({ payload: value }))).toEqual({ payload: value });
  });

  it.each<[how: string, value: unknown]>([
    ['with a reason of its own', { holdfastUndecodable: true, reason: 'x'.repeat(9), bytes: 1 }],
    [
      'with a reason that cannot be printed',
      { holdfastUndecodable: true, reason: { toString: null }, bytes: 1 },
    ],
    ['without a reason', { holdfastUndecodable: true }],
    ['with other bytes', { holdfastUndecodable: true, reason: 'it is not JSON', bytes: 'many' }],
    ['that is not quite true', { holdfastUndecodable: 1, reason: 'it is not JSON', bytes: 1 }],
    [
      'by inheritance',
      JSON.parse('{"__proto__":{"holdfastUndecodable":true,"reason":"it is not JSON","bytes":1}}'),
    ],
    ['as a list', ['holdfastUndecodable']],
    ['as null', null],
  ])('is not what a sender wrote %s [hitl:refused-decision]', (_how, value) => {
    expect(isUndecodable(value)).toBe(false);
  });
});

describe('a round trip', () => {
  it.each<[what: string, value: unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['false', false],
    ['zero', 0],
    ['a fraction', 1.5e-300],
    ['an empty text', ''],
    ['text of every kind', 'a\u0000"\\\u2028 \u{1f600} e\u0301 \ufeff'],
    ['half a surrogate pair', '\ud800'],
    ['an empty list', []],
    ['an empty object', {}],
    ['nested values', { list: [1, [2, { three: null }]], flag: true }],
    ['names that objects have anyway', { constructor: 1, toString: 'x', hasOwnProperty: null }],
  ])('keeps %s', (_what, value) => {
    expect(decoded(payloadConverter.toPayload(value))).toEqual(value);
  });

  it('keeps a member named __proto__ as an own member, and gives nobody a prototype', () => {
    const value: unknown = JSON.parse('{"__proto__":{"decision":"approve"},"key":"k"}');
    const back = decoded(payloadConverter.toPayload(value));
    expect(JSON.stringify(back)).toBe('{"__proto__":{"decision":"approve"},"key":"k"}');
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
    expect(back).not.toHaveProperty('decision');
  });

  it('leaves out members that are undefined', () => {
    expect(decoded(payloadConverter.toPayload({ a: 1, b: undefined }))).toStrictEqual({ a: 1 });
  });

  it('is JSON that any SDK reads', () => {
    const payload = payloadConverter.toPayload({ a: ['ü'] });
    expect(new TextDecoder().decode(payload.metadata?.encoding ?? undefined)).toBe('json/plain');
    expect(new TextDecoder().decode(payload.data ?? undefined)).toBe('{"a":["ü"]}');
  });

  it('passes on what the SDK encoded itself, such as a stack trace', () => {
    const raw = new RawValue({ stack: 'at agentRun' });
    expect(payloadConverter.toPayload(raw)).toBe(raw.payload);
  });
});

function fail(): never {
  throw new Error('secret');
}

describe('encoding', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;

  it.each<[what: string, value: unknown, named: string]>([
    ['a BigInt', 10n, 'bigint'],
    ['a BigInt within', { a: [10n] }, 'bigint'],
    ['a function', () => 1, 'function'],
    ['a function within, which JSON drops', { a: { run: () => 1 } }, 'function'],
    ['a symbol', Symbol('x'), 'symbol'],
    ['NaN, which JSON makes null', { a: Number.NaN }, 'not finite'],
    ['infinity', [Infinity], 'not finite'],
    ['a Map, which JSON makes {}', { a: new Map([['b', 1]]) }, 'Map'],
    ['a Set', new Set([1]), 'Set'],
    ['an Error', new Error('secret'), 'Error'],
    ['bytes', new Uint8Array([1]), 'Uint8Array'],
    ['a cycle', cycle, 'contains itself'],
    ['an object without JSON', { toJSON: () => undefined }, 'nothing'],
    ['an object whose JSON fails', { toJSON: fail }, 'fails'],
    ['nesting that decoding would refuse', JSON.parse(nested(LIMITS.payloadDepth + 1)), 'nested too deeply'],
  ])('refuses %s with a clear error', (_what, value, named) => {
    const encode = (): unknown => payloadConverter.toPayload(value);
    expect(encode).toThrow(ValueError);
    expect(encode).toThrow(named);
    expect(encode).not.toThrow('secret');
  });
});
