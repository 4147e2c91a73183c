import { LIMITS } from '../contract/limits.js';
import type { AssistantContent } from '../contract/transcript.js';
import { wellFormed } from '../transcript/well-formed.js';
import { ModelFailure, type ModelResponse } from './model.js';

/** What one answer of a model may hold (`run:payloads`). */
export const ANSWER_LIMITS = {
  /** Its text, bytes. */
  textBytes: 200 * 1024,
  calls: 64,
  /** All of it, bytes of JSON: the history carries it as one payload, and its arguments up to three times. */
  totalBytes: 1024 * 1024,
  /** A tool's name, characters; a longer one is cut, and no tool has a name this long (`tool:name`). */
  toolNameCharacters: 128,
  /** A provider's call id, characters; a longer one counts as absent. */
  callIdCharacters: 1024,
} as const;

/** Legal nowhere in JSON, so that arguments that held a lone surrogate are refused and never repaired. */
const SUBSTITUTE = '\u001a';

/**
 * A model's answer as it enters the transcript: well-formed Unicode within ANSWER_LIMITS. Arguments over
 * LIMITS.argumentBytes are cut to just above that limit, so that validation refuses this one call
 * (`schema:strict-json`). An answer that is too large as a whole throws a final ModelFailure.
 */
export function boundedContent(response: ModelResponse): AssistantContent {
  if (response.calls.length > ANSWER_LIMITS.calls) {
    throw tooLarge(
      `asks for ${response.calls.length} calls at once, and ${ANSWER_LIMITS.calls} are the most`,
    );
  }
  const content = {
    text: wellFormed(response.text),
    calls: response.calls.map((call) => ({
      providerCallId:
        call.providerCallId.length > ANSWER_LIMITS.callIdCharacters ? '' : wellFormed(call.providerCallId),
      tool: wellFormed(call.tool.slice(0, ANSWER_LIMITS.toolNameCharacters)),
      argsText: cutJustOver(LIMITS.argumentBytes, wellFormed(call.argsText, SUBSTITUTE)),
    })),
  };
  const textBytes = Buffer.byteLength(content.text);
  if (textBytes > ANSWER_LIMITS.textBytes) {
    throw tooLarge(`holds ${textBytes} bytes of text, and ${ANSWER_LIMITS.textBytes} are the most`);
  }
  const totalBytes = Buffer.byteLength(JSON.stringify(content));
  if (totalBytes > ANSWER_LIMITS.totalBytes) {
    throw tooLarge(`is ${totalBytes} bytes large, and ${ANSWER_LIMITS.totalBytes} are the most`);
  }
  return content;
}

/** Ends behind the character that crosses the limit, so that the result is surely longer than it. */
function cutJustOver(limit: number, text: string): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const bytes = Buffer.from(text, 'utf8');
  let end = limit + 1;
  while (isContinuation(bytes[end])) end += 1;
  return bytes.toString('utf8', 0, end);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function tooLarge(what: string): ModelFailure {
  return new ModelFailure(`The model's answer ${what}: ask for smaller steps in the instructions.`, false);
}
