import { HoldfastError } from '../contract/error-codes.js';
import { isJsonObject, type Digest, type JsonObject } from '../contract/json.js';
import type { TranscriptEntry, TranscriptNode, TranscriptText } from '../contract/transcript.js';
import { digestOf } from '../digest.js';
import type { TranscriptStore } from './store.js';
import { wellFormed } from './well-formed.js';

const KINDS: ReadonlySet<unknown> = new Set<TranscriptEntry['kind']>([
  'user',
  'tool_result',
  'notice',
  'assistant',
]);

/**
 * The digest of a node: SHA-256 over its canonical JSON, in which U+FFFD stands for each lone surrogate of a
 * text. Pure, so that an auditor can recompute a chain from the inputs and results of `callModel` alone.
 */
export function nodeDigest(node: TranscriptNode): Digest {
  return digestOf(nodeJson(node));
}

/** Stores a node behind its parent and gives the new head. The same node again gives the same head. */
export async function appendNode(store: TranscriptStore, node: TranscriptNode): Promise<Digest> {
  return store.put(nodeJson(node));
}

/**
 * All entries from the root to the head, oldest first; none for null. Throws HoldfastError
 * `transcript_damaged` when a node is missing, altered, no node, or of another manifest.
 */
export async function loadChain(
  store: TranscriptStore,
  manifest: Digest,
  head: Digest | null,
): Promise<TranscriptEntry[]> {
  const newestFirst: TranscriptNode[] = [];
  for (let digest = head; digest !== null;) {
    const node = await store.get(digest);
    if (!isTranscriptNode(node) || node.manifest !== manifest) {
      throw new HoldfastError(
        'transcript_damaged',
        `Transcript entry ${digest} is no part of this run: resume from the run's own head, or start a new run.`,
      );
    }
    newestFirst.push(node);
    digest = node.parent;
  }
  return newestFirst.toReversed().flatMap((node) => node.entries);
}

function nodeJson(node: TranscriptNode): JsonObject {
  return { ...node, entries: node.entries.map(entryJson) };
}

function entryJson(entry: TranscriptEntry): JsonObject {
  switch (entry.kind) {
    case 'user':
    case 'notice':
      return { ...entry, text: wellFormed(entry.text) };
    case 'tool_result':
      return {
        ...entry,
        call: { ...entry.call },
        providerCallId: wellFormed(entry.providerCallId),
        tool: wellFormed(entry.tool),
        text: textJson(entry.text),
      };
    case 'assistant':
      return {
        ...entry,
        content: {
          text: wellFormed(entry.content.text),
          calls: entry.content.calls.map((call) => ({
            ...call,
            providerCallId: wellFormed(call.providerCallId),
            tool: wellFormed(call.tool),
            argsText: wellFormed(call.argsText),
          })),
        },
      };
  }
}

function textJson(text: TranscriptText): JsonObject {
  return 'inline' in text ? { inline: wellFormed(text.inline) } : { stored: text.stored };
}

/** The digest vouches for what stands inside an entry: only `appendNode` writes such values. */
function isTranscriptNode(value: JsonObject): value is JsonObject & TranscriptNode {
  return (
    value.version === 1 &&
    (value.parent === null || typeof value.parent === 'string') &&
    typeof value.manifest === 'string' &&
    Array.isArray(value.entries) &&
    value.entries.every((entry: unknown) => isJsonObject(entry) && KINDS.has(entry.kind))
  );
}
