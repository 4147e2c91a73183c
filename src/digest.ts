import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Digest, JsonObject, JsonValue } from './contract/json.js';

/** SHA-256 over the canonical JSON of a value (RFC 8785). Throws for lone surrogates, which have none. */
export function digestOf(value: JsonValue): Digest {
  return sha256(canonicalJson(value));
}

/** SHA-256 over the run's salt and the arguments: the same arguments in another run have another digest. */
export function argsDigest(salt: string, args: JsonObject): Digest {
  return sha256(`${salt}\n${canonicalJson(args)}`);
}

/** RFC 8785. */
export function canonicalJson(value: JsonValue): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('This value has no JSON.');
  return text;
}

export function sha256(text: string): Digest {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
