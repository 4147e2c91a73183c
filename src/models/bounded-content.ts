import { jsonBytes } from '../contract/json.js';
import { LIMITS } from '../contract/limits.js';
import type { ProposedCall } from '../contract/call.js';
import type { AssistantContent } from '../contract/transcript.js';
import { wellFormed } from '../transcript/well-formed.js';
import { ModelFailure, type ModelResponse } from './model.js';

/** What one answer of a model may hold (`run:payloads`). */
export const ANSWER_LIMITS = {
  /** Its text, bytes of JSON. */
  textBytes: 200 * 1024,
  calls: 64,
  /**
   * All its calls, bytes of JSON, the arguments as they were sent or written out, whichever is more: the history
   * carries them as one payload, and the arguments up to three times.
   */
  argumentsBytes: 768 * 1024,
  /** A tool's name, characters; a longer one is cut, and no tool has a name this long (`tool:name`). */
  toolNameCharacters: 128,
  /** A provider's call id, bytes of JSON; a longer one counts as absent. */
  callIdBytes: 1024,
} as const;

/** Legal nowhere in JSON, so that arguments that held a lone surrogate are refused and never repaired. */
const SUBSTITUTE = '\u001a';

/**
 * A model's answer as it enters the transcript: well-formed Unicode within ANSWER_LIMITS. Arguments over
 * LIMITS.argumentBytes, and the largest ones of an answer that is too large as a whole, are left out, so that
 * validation refuses these calls and the model can mend them (`schema:strict-json`, `run:payloads`). Too many
 * calls or too much text throws a final ModelFailure.
 */
export function boundedContent(response: ModelResponse): AssistantContent {
  if (response.calls.length > ANSWER_LIMITS.calls) {
    throw tooLarge(
      `asks for ${response.calls.length} calls at once, and ${ANSWER_LIMITS.calls} are the most`,
    );
  }
  const text = wellFormed(response.text);
  const textBytes = textJsonBytes(text);
  if (textBytes > ANSWER_LIMITS.textBytes) {
    throw tooLarge(`holds ${textBytes} bytes of text, and ${ANSWER_LIMITS.textBytes} are the most`);
  }
  const calls = response.calls.map((call) => ({
    providerCallId:
      textJsonBytes(call.providerCallId) > ANSWER_LIMITS.callIdBytes ? '' : wellFormed(call.providerCallId),
    tool: wellFormed(call.tool.slice(0, ANSWER_LIMITS.toolNameCharacters)),
    argsText: wellFormed(call.argsText, SUBSTITUTE),
  }));
  return { text, calls: withinTotal(calls) };
}

/** Leaves out what is too large by itself, then the largest ones until the rest fits. */
function withinTotal(calls: readonly ProposedCall[]): readonly ProposedCall[] {
  const written = calls.map(({ argsText }) => writtenOut(argsText));
  const bySize = calls
    .map((call, index) => ({ index, bytes: Math.max(jsonBytes(call), written[index] ?? 0) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  const out = new Set(
    calls.flatMap(({ argsText }, index) =>
      Math.max(Buffer.byteLength(argsText), written[index] ?? 0) > LIMITS.argumentBytes ? [index] : [],
    ),
  );
  let total = bySize.reduce((sum, { index, bytes }) => (out.has(index) ? sum : sum + bytes), 0);
  for (const { index, bytes } of bySize) {
    if (total <= ANSWER_LIMITS.argumentsBytes) break;
    if (out.has(index)) continue;
    out.add(index);
    total -= bytes;
  }
  return calls.map((call, index) =>
    out.has(index)
      ? { ...call, argsText: '', leftOut: Math.max(Buffer.byteLength(call.argsText), written[index] ?? 0) }
      : call,
  );
}

/** Bytes of arguments as they are written once they were parsed: 1e20 has 21 digits. 0 for what is no JSON. */
function writtenOut(argsText: string): number {
  try {
    return jsonBytes(JSON.parse(argsText));
  } catch {
    return 0;
  }
}

/** Without its quotes. */
function textJsonBytes(text: string): number {
  return jsonBytes(text) - 2;
}

function tooLarge(what: string): ModelFailure {
  return new ModelFailure(`The model's answer ${what}: ask for smaller steps in the instructions.`, false);
}
