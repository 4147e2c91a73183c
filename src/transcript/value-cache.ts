import type { Digest, JsonObject } from '../contract/json.js';

/** Values that were verified, least recently used first out, bounded by the bytes of their JSON. */
export class ValueCache {
  readonly #values = new Map<Digest, { readonly value: JsonObject; readonly bytes: number }>();
  #bytes = 0;

  /** `maxBytes` 0 keeps nothing. */
  constructor(readonly maxBytes: number) {}

  get(digest: Digest): JsonObject | undefined {
    const found = this.#values.get(digest);
    if (!found) return undefined;
    this.#values.delete(digest);
    this.#values.set(digest, found);
    return found.value;
  }

  set(digest: Digest, value: JsonObject, bytes: number): void {
    if (bytes > this.maxBytes || this.#values.has(digest)) return;
    this.#values.set(digest, { value, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#values) {
      if (this.#bytes <= this.maxBytes) return;
      this.#values.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }
}
