import { HoldfastError } from '../../../src/contract/error-codes.js';
import type { Digest, JsonObject } from '../../../src/contract/json.js';
import { canonicalJson, sha256 } from '../../../src/digest.js';
import type { TranscriptStore } from '../../../src/transcript/store.js';

/** A store for chains that are too long to fsync in a test; it keeps the same contract as the real ones. */
export class MemoryTranscriptStore implements TranscriptStore {
  constructor(readonly texts = new Map<Digest, string>()) {}

  async put(value: JsonObject): Promise<Digest> {
    const text = canonicalJson(value);
    const digest = sha256(text);
    this.texts.set(digest, text);
    return digest;
  }

  async get(digest: Digest): Promise<JsonObject> {
    const text = this.texts.get(digest);
    if (!/^[0-9a-f]{64}$/.test(digest)) throw damaged('A transcript reference is no SHA-256 digest');
    if (text === undefined) throw damaged(`Transcript entry ${digest} is missing`);
    if (sha256(text) !== digest) throw damaged(`Transcript entry ${digest} was altered`);
    return JSON.parse(text);
  }
}

function damaged(message: string): HoldfastError {
  return new HoldfastError('transcript_damaged', message);
}
