import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Digest, JsonObject } from '../../../src/contract/json.js';
import { digestOf } from '../../../src/digest.js';
import type { TranscriptStore } from '../../../src/transcript/store.js';

/** One place that holds values, and ways to reach behind the store. */
export interface StoreUnderTest {
  /** A store on this place, without anything remembered. */
  open(): TranscriptStore;
  remove(digest: Digest): Promise<void>;
  /** Changes one character of the stored value. */
  alter(digest: Digest): Promise<void>;
}

/** What every TranscriptStore promises; each implementation runs it with a fresh, empty place. */
export function describeTranscriptStore(name: string, place: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the contract of a transcript store`, () => {
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await place();
    });

    it.each<[string, JsonObject]>([
      ['nested values', { b: [1, { c: null }], a: 'x' }],
      ['an empty object', {}],
      ['a member named __proto__', JSON.parse('{"__proto__":{"admin":true}}')],
      ['texts of any script', { text: 'a\u0000\u2028"\\é漢🙂' }],
    ])('gives back %s under the digest of its canonical JSON [run:transcript]', async (_, value) => {
      const digest = await under.open().put(value);
      expect(digest).toBe(digestOf(value));
      expect(JSON.stringify(await under.open().get(digest))).toBe(JSON.stringify(sorted(value)));
    });

    it('gives one digest whatever the order of the members [run:transcript]', async () => {
      const store = under.open();
      expect(await store.put({ a: 1, b: 2 })).toBe(await store.put({ b: 2, a: 1 }));
    });

    it('takes the same value again, and from several stores at once [run:transcript]', async () => {
      const value = { text: randomUUID() };
      const stores = [under.open(), under.open(), under.open()];
      const digests = await Promise.all([...stores, ...stores].map((store) => store.put(value)));
      expect(new Set(digests).size).toBe(1);
      await expect(under.open().get(digestOf(value))).resolves.toEqual(value);
    });

    it('refuses a missing value by its digest [run:transcript]', async () => {
      const digest = await under.open().put({ text: 'gone' });
      await under.remove(digest);
      await expect(under.open().get(digest)).rejects.toMatchObject({
        code: 'transcript_damaged',
        message: expect.stringContaining(`${digest} is missing`),
      });
    });

    it('refuses an altered value by its digest, and takes it again [run:transcript]', async () => {
      const value = { text: 'whole' };
      const digest = await under.open().put(value);
      await under.alter(digest);
      await expect(under.open().get(digest)).rejects.toMatchObject({
        code: 'transcript_damaged',
        message: expect.stringContaining(`${digest} was altered`),
      });
      await under.open().put(value);
      await expect(under.open().get(digest)).resolves.toEqual(value);
    });

    it.each(['', '../../../etc/passwd', 'A'.repeat(64), 'a'.repeat(63), `${'a'.repeat(64)}\n`])(
      'refuses the reference %j, which is no digest, without repeating it [run:transcript]',
      async (reference) => {
        await expect(under.open().get(reference)).rejects.toMatchObject({
          code: 'transcript_damaged',
          message: expect.stringMatching(/^A transcript reference is no SHA-256 digest/),
        });
      },
    );

    it('stores nothing for a value without canonical JSON [run:transcript]', async () => {
      await expect(under.open().put({ text: '\ud800' })).rejects.toThrow(/surrogate/i);
    });
  });
}

/** The members of an object in the order of canonical JSON; enough for the values above. */
function sorted(value: JsonObject): JsonObject {
  const result: Record<string, JsonObject[string]> = Object.create(null);
  for (const key of Object.keys(value).toSorted()) result[key] = value[key];
  return result;
}
