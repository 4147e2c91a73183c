import { HoldfastError } from '../contract/error-codes.js';
import type { TranscriptEntry, TranscriptText } from '../contract/transcript.js';
import type { ModelMessage } from '../models/model.js';
import type { TranscriptStore } from './store.js';

type Assistant = Extract<TranscriptEntry, { kind: 'assistant' }>;
type ToolResult = Extract<TranscriptEntry, { kind: 'tool_result' }>;

/**
 * The transcript as a model reads it, every stored text loaded. Behind each assistant message stand the
 * results of its calls, exactly one each, in the order of the calls, then what else was said. Results are
 * matched by turn and index alone, never by a provider's call id (`outcome:key`). Throws HoldfastError
 * `internal_error` for a call without a result or with two, and for a result without a call, and
 * `transcript_damaged` for a stored text that is missing, altered or none.
 */
export async function loadMessages(
  store: TranscriptStore,
  entries: readonly TranscriptEntry[],
): Promise<ModelMessage[]> {
  const messages: ModelMessage[] = [];
  let lastTurn = -1;
  for (const { assistant, following } of split(entries)) {
    const results = following.filter((entry) => entry.kind === 'tool_result');
    const turn = results[0]?.call.turn;
    if (turn !== undefined && turn <= lastTurn) throw mismatch(turn);
    if (assistant) messages.push({ role: 'assistant', content: assistant.content });
    for (const result of inCallOrder(assistant, results)) {
      const { providerCallId, tool, status, text } = result;
      messages.push({ role: 'tool', providerCallId, tool, status, text: await loadText(store, text) });
    }
    for (const entry of following) {
      if (entry.kind === 'user' || entry.kind === 'notice') messages.push({ role: 'user', text: entry.text });
    }
    lastTurn = turn ?? lastTurn;
  }
  return messages;
}

async function loadText(store: TranscriptStore, text: TranscriptText): Promise<string> {
  if ('inline' in text) return text.inline;
  const { text: stored } = await store.get(text.stored);
  if (typeof stored === 'string') return stored;
  throw new HoldfastError(
    'transcript_damaged',
    `Transcript entry ${text.stored} should be a text and is none: start a new run.`,
  );
}

/** Each assistant entry with what follows it up to the next; the first part has none. */
function split(
  entries: readonly TranscriptEntry[],
): { assistant?: Assistant; following: TranscriptEntry[] }[] {
  const parts: { assistant?: Assistant; following: TranscriptEntry[] }[] = [{ following: [] }];
  for (const entry of entries) {
    if (entry.kind === 'assistant') parts.push({ assistant: entry, following: [] });
    else parts.at(-1)?.following.push(entry);
  }
  return parts;
}

function inCallOrder(assistant: Assistant | undefined, results: readonly ToolResult[]): ToolResult[] {
  const calls = assistant?.content.calls ?? [];
  const turn = results[0]?.call.turn;
  if (results.length !== calls.length) throw mismatch(turn);
  return calls.map((call, index) => {
    const [result, second] = results.filter((candidate) => candidate.call.index === index);
    if (!result || second || result.call.turn !== turn || result.tool !== call.tool) throw mismatch(turn);
    return result;
  });
}

function mismatch(turn: number | undefined): HoldfastError {
  const where = turn === undefined ? '' : ` at turn ${turn}`;
  return new HoldfastError(
    'internal_error',
    `The transcript does not hold exactly one result for each call${where}: report this as a defect of Holdfast.`,
  );
}
