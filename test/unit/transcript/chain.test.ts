import { beforeEach, describe, expect, it } from 'vitest';
import type { Digest } from '../../../src/contract/json.js';
import type { TranscriptEntry, TranscriptNode } from '../../../src/contract/transcript.js';
import { canonicalJson, sha256 } from '../../../src/digest.js';
import { appendNode, loadChain, nodeDigest } from '../../../src/transcript/chain.js';
import { MemoryTranscriptStore } from './memory-store.js';

const manifest = 'a'.repeat(64);
const user = (text: string): TranscriptEntry => ({ kind: 'user', text });
const nodeOf = (parent: Digest | null, ...entries: TranscriptEntry[]): TranscriptNode => ({
  version: 1,
  parent,
  manifest,
  entries,
});

const EVERY_KIND: readonly TranscriptEntry[] = [
  user('do it'),
  {
    kind: 'assistant',
    content: { text: 'I read', calls: [{ providerCallId: 'c', tool: 'read', argsText: '{"path":"a"}' }] },
  },
  {
    kind: 'tool_result',
    call: { turn: 0, index: 0 },
    providerCallId: 'c',
    tool: 'read',
    status: 'ok',
    text: { stored: 'b'.repeat(64) },
  },
  {
    kind: 'tool_result',
    call: { turn: 0, index: 1 },
    providerCallId: '',
    tool: 'write',
    status: 'denied',
    text: { inline: 'no' },
  },
  { kind: 'notice', text: 'The budget is used up.' },
];

describe('the transcript chain', () => {
  let store: MemoryTranscriptStore;
  beforeEach(() => {
    store = new MemoryTranscriptStore();
  });

  it('has no entries before the first node [run:transcript]', async () => {
    await expect(loadChain(store, manifest, null)).resolves.toEqual([]);
  });

  it('gives back entries of every kind, oldest first, across nodes [run:transcript]', async () => {
    const root = await appendNode(store, nodeOf(null, ...EVERY_KIND.slice(0, 2)));
    const head = await appendNode(store, nodeOf(root, ...EVERY_KIND.slice(2)));
    await expect(loadChain(store, manifest, head)).resolves.toEqual(EVERY_KIND);
    await expect(loadChain(store, manifest, root)).resolves.toEqual(EVERY_KIND.slice(0, 2));
  });

  it('names a node by the digest of its canonical JSON, which an auditor can recompute [run:transcript]', async () => {
    const node = nodeOf(null, ...EVERY_KIND);
    const digest = await appendNode(store, node);
    expect(digest).toBe(nodeDigest(node));
    expect(digest).toBe(sha256(canonicalJson(JSON.parse(JSON.stringify(node)))));
  });

  it('gives another head for another parent, manifest, or entry [run:transcript]', () => {
    const root = nodeDigest(nodeOf(null, user('a')));
    const heads = [
      nodeOf(root, user('b')),
      nodeOf(null, user('b')),
      { ...nodeOf(root, user('b')), manifest: 'c'.repeat(64) },
      nodeOf(root, user('b '), user('c')),
      nodeOf(root, user('c'), user('b ')),
    ].map(nodeDigest);
    expect(new Set(heads).size).toBe(heads.length);
  });

  it('replaces lone surrogates in every text, since canonical JSON has none [run:transcript]', async () => {
    const bad = 'x\ud800y';
    const head = await appendNode(
      store,
      nodeOf(
        null,
        user(bad),
        { kind: 'notice', text: bad },
        {
          kind: 'assistant',
          content: { text: bad, calls: [{ providerCallId: bad, tool: bad, argsText: bad }] },
        },
        {
          kind: 'tool_result',
          call: { turn: 0, index: 0 },
          providerCallId: bad,
          tool: bad,
          status: 'ok',
          text: { stored: 'b'.repeat(64) },
        },
        {
          kind: 'tool_result',
          call: { turn: 0, index: 1 },
          providerCallId: '',
          tool: 't',
          status: 'denied',
          text: { inline: bad },
        },
      ),
    );
    const loaded = JSON.stringify(await loadChain(store, manifest, head));
    expect(loaded.match(/x\ufffdy/g)).toHaveLength(9);
    expect(loaded).not.toContain('ud800');
  });

  it('keeps surrogate pairs [run:transcript]', async () => {
    const head = await appendNode(store, nodeOf(null, user('🙂')));
    await expect(loadChain(store, manifest, head)).resolves.toEqual([user('🙂')]);
  });

  it.each<[string, (root: Digest) => Promise<Digest>]>([
    [
      'is of another run',
      (root) => appendNode(store, { ...nodeOf(root, user('b')), manifest: 'd'.repeat(64) }),
    ],
    ['is a manifest', () => store.put({ version: 1, instructions: 'x', tools: [] })],
    ['is a text', () => store.put({ text: 'x' })],
    ['is of another version', () => store.put({ version: 2, parent: null, manifest, entries: [] })],
    [
      'holds an entry of no known kind',
      () => store.put({ version: 1, parent: null, manifest, entries: [{ kind: 'x' }] }),
    ],
    ['holds no list of entries', () => store.put({ version: 1, parent: null, manifest, entries: 'x' })],
  ])('refuses a head that %s, by its digest [run:transcript]', async (_, putHead) => {
    const head = await putHead(await appendNode(store, nodeOf(null, user('a'))));
    await expect(loadChain(store, manifest, head)).rejects.toMatchObject({
      code: 'transcript_damaged',
      message: expect.stringContaining(head),
    });
  });

  it('refuses a chain with a missing node in its middle, by its digest [run:transcript]', async () => {
    const root = await appendNode(store, nodeOf(null, user('a')));
    const middle = await appendNode(store, nodeOf(root, user('b')));
    const head = await appendNode(store, nodeOf(middle, user('c')));
    store.texts.delete(middle);
    await expect(loadChain(store, manifest, head)).rejects.toMatchObject({
      code: 'transcript_damaged',
      message: expect.stringContaining(middle),
    });
  });

  it('loads 10,000 nodes [run:transcript]', async () => {
    let head: Digest | null = null;
    for (let n = 0; n < 10_000; n += 1) head = await appendNode(store, nodeOf(head, user(String(n))));
    const entries = await loadChain(store, manifest, head);
    expect(entries).toHaveLength(10_000);
    expect([entries[0], entries[9_999]]).toEqual([user('0'), user('9999')]);
  });
});
