import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { wellFormed } from '../../../src/transcript/well-formed.js';
import { parseArguments } from '../../../src/registry/parse-arguments.js';
import { ANSWER_LIMITS, boundedContent } from '../../../src/models/bounded-content.js';

const answer = (argsTexts: readonly string[], text = '') => ({
  text,
  calls: argsTexts.map((argsText) => ({ providerCallId: 'c', tool: 'write', argsText })),
  finishReason: 'tool_calls' as const,
  usage: {},
});
const only = (argsText: string): string => boundedContent(answer([argsText])).calls[0]?.argsText ?? '';
/** JSON text of exactly so many bytes. */
const argsOf = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

describe('the bounds of an answer', () => {
  it('changes nothing within them [run:payloads]', () => {
    const { text, calls } = answer(['{"a": 1}', '', 'no json', '{"s":"\\ud800 🙂"}'], 'hello 🙂');
    expect(boundedContent(answer(['{"a": 1}', '', 'no json', '{"s":"\\ud800 🙂"}'], 'hello 🙂'))).toEqual({
      text,
      calls,
    });
  });

  it('lets arguments of just the limit pass whole [run:payloads]', () => {
    const args = argsOf(LIMITS.argumentBytes);
    expect(only(args)).toBe(args);
  });

  it.each([
    ['one byte over', argsOf(LIMITS.argumentBytes + 1)],
    ['megabytes over', argsOf(2_500_000)],
    ['blanks behind whole JSON', `{}${' '.repeat(LIMITS.argumentBytes)}`],
    ['characters of three bytes', `{"a":"${'漢'.repeat(LIMITS.argumentBytes)}"}`],
    ['characters of four bytes', `{"a":"${'🙂'.repeat(LIMITS.argumentBytes)}"}`],
  ])('leaves out arguments that are %s, saying how large they were [run:payloads]', (_, args) => {
    const [call] = boundedContent(answer([args])).calls;
    expect(call).toEqual({
      providerCallId: 'c',
      tool: 'write',
      argsText: '',
      leftOut: Buffer.byteLength(args),
    });
  });

  it('counts arguments as they are once they are written out [run:payloads]', () => {
    const [call] = boundedContent(answer([`{"a":[${'1e20,'.repeat(20_000)}1]}`])).calls;
    expect(call).toMatchObject({ argsText: '', leftOut: 20_000 * 22 + 9 });
  });

  it('leaves out the largest arguments of an answer that is too large as a whole [run:payloads]', () => {
    const sizes = [100_000, 250_000, 240_000, 230_000, 220_000];
    const { calls } = boundedContent(answer(sizes.map(argsOf)));
    expect(calls.map(({ leftOut }) => leftOut)).toEqual([undefined, 250_000, 240_000, undefined, undefined]);
    expect(Buffer.byteLength(JSON.stringify(calls))).toBeLessThan(ANSWER_LIMITS.argumentsBytes + 1000);
  });

  it.each(['{"a":"\ud800"}', '{"a":"x\udc00"}', '{}\ud800', '\udfff{}'])(
    'makes arguments with a lone surrogate no JSON, rather than repair them [schema:strict-json]',
    (args) => {
      const bounded = only(args);
      expect(wellFormed(bounded)).toBe(bounded);
      expect(parseArguments(bounded)).toMatchObject({ ok: false });
    },
  );

  it('replaces lone surrogates in text, tool names and ids [run:transcript]', () => {
    const call = { providerCallId: '\ud800', tool: 'a\udc00', argsText: '{}' };
    expect(boundedContent({ ...answer([]), text: 'x\ud800', calls: [call] })).toEqual({
      text: 'x\ufffd',
      calls: [{ providerCallId: '\ufffd', tool: 'a\ufffd', argsText: '{}' }],
    });
  });

  it('cuts a tool name that no tool can have, and forgets a call id that is no label [run:payloads]', () => {
    const call = { providerCallId: 'i'.repeat(1025), tool: 'n'.repeat(100_000), argsText: '{}' };
    const [bounded] = boundedContent({ ...answer([]), calls: [call] }).calls;
    expect(bounded).toEqual({ providerCallId: '', tool: 'n'.repeat(128), argsText: '{}' });
  });

  it.each<[string, ReturnType<typeof answer>, RegExp]>([
    ['65 calls', answer(Array.from({ length: 65 }, () => '{}')), /65 calls at once, and 64/],
    ['too much text', answer([], '漢'.repeat(100_000)), /300000 bytes of text, and 204800/],
    ['text that JSON makes too much', answer([], '\u0001'.repeat(50_000)), /300000 bytes of text/],
  ])('fails for good for %s [run:payloads] [model:failures]', (_, response, message) => {
    expect(() => boundedContent(response)).toThrow(
      expect.objectContaining({
        name: 'ModelFailure',
        retryable: false,
        message: expect.stringMatching(message),
      }),
    );
  });

  it('takes 64 calls, and 200 KiB of text [run:payloads]', () => {
    const { text, calls } = boundedContent(
      answer(
        Array.from({ length: ANSWER_LIMITS.calls }, () => '{}'),
        'x'.repeat(ANSWER_LIMITS.textBytes),
      ),
    );
    expect([text.length, calls.length]).toEqual([204_800, 64]);
  });
});
