import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HoldfastError } from '../contract/error-codes.js';
import { isJsonObject, type Digest, type JsonObject } from '../contract/json.js';
import { canonicalJson, sha256 } from '../digest.js';
import type { TranscriptStore } from './store.js';
import { ValueCache } from './value-cache.js';

const DIGEST = /^[0-9a-f]{64}$/;
const CACHE_BYTES = 64 * 1024 * 1024;

export interface FileStoreOptions {
  /** How much verified JSON stays in memory, bytes. Default 64 MiB; 0 keeps nothing. */
  readonly cacheBytes?: number;
}

/**
 * The transcript store on files: `<stateDir>/transcript/<first two digits>/<digest>.json`, made when first
 * needed, readable by their owner only (files 0600, directories 0700).
 *
 * `put` resolves when the value would outlive a power cut: a temporary file is written, fsynced and renamed,
 * and its directory fsynced. So several processes may share a directory, no reader sees half a value, and
 * putting a value again mends a damaged file. Neither retries; a full disk is thrown as Node's system error.
 */
export class FileTranscriptStore implements TranscriptStore {
  readonly #root: string;
  readonly #cache: ValueCache;

  constructor(stateDir: string, options: FileStoreOptions = {}) {
    this.#root = join(stateDir, 'transcript');
    this.#cache = new ValueCache(options.cacheBytes ?? CACHE_BYTES);
  }

  async put(value: JsonObject): Promise<Digest> {
    const text = canonicalJson(value);
    const digest = sha256(text);
    const target = this.#fileOf(digest);
    const temporary = join(this.#root, 'tmp', `${digest}.${randomUUID()}`);
    await makeDirectory(dirname(temporary));
    await makeDirectory(dirname(target));
    try {
      await writeDurably(temporary, text);
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncDirectory(dirname(target));
    return digest;
  }

  async get(digest: Digest): Promise<JsonObject> {
    if (!DIGEST.test(digest)) throw damaged('A transcript reference is no SHA-256 digest');
    const cached = this.#cache.get(digest);
    if (cached) return cached;
    const bytes = await readIfThere(this.#fileOf(digest));
    if (!bytes) throw damaged(`Transcript entry ${digest} is missing`);
    if (createHash('sha256').update(bytes).digest('hex') !== digest) {
      throw damaged(`Transcript entry ${digest} was altered`);
    }
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isJsonObject(value)) throw damaged(`Transcript entry ${digest} is no JSON object`);
    this.#cache.set(digest, value, bytes.length);
    return value;
  }

  #fileOf(digest: Digest): string {
    return join(this.#root, digest.slice(0, 2), `${digest}.json`);
  }
}

function damaged(what: string): HoldfastError {
  return new HoldfastError(
    'transcript_damaged',
    `${what}: restore the transcript folder of the state directory from a backup, or start a new run.`,
  );
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A new directory outlives a power cut only when each parent that gained an entry is fsynced too. */
async function makeDirectory(path: string): Promise<void> {
  const firstMade = await mkdir(path, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  for (let made = path; made.length >= firstMade.length; made = dirname(made)) {
    await syncDirectory(dirname(made));
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
