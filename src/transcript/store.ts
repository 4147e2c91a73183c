import type { Digest, JsonObject } from '../contract/json.js';

/**
 * Content-addressed values (`run:transcript`): transcript nodes, manifests and outputs, each under the
 * SHA-256 of its canonical JSON (RFC 8785). Safe for several processes; a value never changes.
 */
export interface TranscriptStore {
  /** Stores the value durably and gives its digest. Storing it again is harmless. */
  put(value: JsonObject): Promise<Digest>;
  /**
   * The value of a digest, verified against it. Throws HoldfastError `transcript_damaged` when it is missing
   * or altered, naming the digest.
   */
  get(digest: Digest): Promise<JsonObject>;
}
