import { describe, expect, it } from 'vitest';
import type { OutcomeStatus } from '../../../src/contract/call.js';
import type { TranscriptEntry, TranscriptText } from '../../../src/contract/transcript.js';
import { loadMessages } from '../../../src/transcript/messages.js';
import { MemoryTranscriptStore } from './memory-store.js';

const store = new MemoryTranscriptStore();

const asks = (...ids: string[]): TranscriptEntry => ({
  kind: 'assistant',
  content: {
    text: '',
    calls: ids.map((providerCallId, index) => ({ providerCallId, tool: 'echo', argsText: `{"v":${index}}` })),
  },
});
const result = (
  turn: number,
  index: number,
  providerCallId = '',
  text: TranscriptText = { inline: `${turn}.${index}` },
  status: OutcomeStatus = 'ok',
  tool = 'echo',
): TranscriptEntry => ({
  kind: 'tool_result',
  call: { turn, index },
  providerCallId,
  tool,
  status,
  text,
});
const user = (text: string): TranscriptEntry => ({ kind: 'user', text });

/** Role and text, enough to see the order. */
async function read(...entries: TranscriptEntry[]): Promise<string[]> {
  const messages = await loadMessages(store, entries);
  return messages.map((message) =>
    message.role === 'assistant'
      ? `assistant ${message.content.calls.length}`
      : `${message.role} ${message.text}`,
  );
}

describe('the transcript as a model reads it', () => {
  it('puts each result beside its own call when ids are empty, repeated or reused [outcome:key] [outcome:status] [H13]', async () => {
    await expect(
      read(
        user('go'),
        asks('', ''),
        result(0, 1),
        result(0, 0),
        asks('c', 'c'),
        result(1, 1, 'c'),
        result(1, 0, 'c'),
        asks('c'),
        result(2, 0, 'c'),
      ),
    ).resolves.toEqual([
      'user go',
      'assistant 2',
      'tool 0.0',
      'tool 0.1',
      'assistant 2',
      'tool 1.0',
      'tool 1.1',
      'assistant 1',
      'tool 2.0',
    ]);
  });

  it('puts results right behind their calls, and messages and notices behind the results [outcome:status]', async () => {
    const notice: TranscriptEntry = { kind: 'notice', text: 'stop' };
    await expect(
      read(user('go'), asks('a', 'b'), user('also'), result(0, 1), notice, result(0, 0)),
    ).resolves.toEqual(['user go', 'assistant 2', 'tool 0.0', 'tool 0.1', 'user also', 'user stop']);
  });

  it('loads stored texts [run:transcript]', async () => {
    const stored = await store.put({ text: 'the output' });
    await expect(
      read(asks('a', 'b'), result(0, 0, 'a', { stored }), result(0, 1, 'b', { inline: 'a word' })),
    ).resolves.toEqual(['assistant 2', 'tool the output', 'tool a word']);
  });

  it('passes every status on as it is [outcome:status]', async () => {
    const statuses: OutcomeStatus[] = ['ok', 'error', 'denied', 'expired', 'cancelled'];
    const entries = statuses.map((status, index) => result(0, index, '', { inline: status }, status));
    const messages = await loadMessages(store, [asks(...statuses), ...entries]);
    expect(messages.slice(1)).toEqual(
      statuses.map((status) => ({ role: 'tool', providerCallId: '', tool: 'echo', status, text: status })),
    );
  });

  it.each<[string, TranscriptEntry[]]>([
    ['a call without a result', [asks('a', 'b'), result(0, 0)]],
    ['two results for one call', [asks('a'), result(0, 0), result(0, 0)]],
    ['two results for one call and none for another', [asks('a', 'b'), result(0, 0), result(0, 0)]],
    ['a result without a call', [asks('a'), result(0, 0), result(0, 1)]],
    ['a result before any call', [user('go'), result(0, 0)]],
    ['results of two turns', [asks('a', 'b'), result(0, 0), result(1, 1)]],
    ['a result of an earlier turn', [asks('a'), result(0, 0), asks('a'), result(0, 0)]],
    ['a result of another tool', [asks('a'), result(0, 0, '', { inline: '' }, 'ok', 'other')]],
    ['an unanswered call before the next answer', [asks('a'), asks('b'), result(1, 0)]],
  ])('refuses %s as a defect [outcome:status]', async (_, entries) => {
    await expect(loadMessages(store, entries)).rejects.toMatchObject({ code: 'internal_error' });
  });

  it('refuses a stored text that is none, by its digest [run:transcript]', async () => {
    const stored = await store.put({ version: 1 });
    await expect(loadMessages(store, [asks('a'), result(0, 0, 'a', { stored })])).rejects.toMatchObject({
      code: 'transcript_damaged',
      message: expect.stringContaining(stored),
    });
  });
});
