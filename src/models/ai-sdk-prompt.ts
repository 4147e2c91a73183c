import { isJsonObject, type JsonObject } from '../contract/json.js';
import { LIMITS } from '../contract/limits.js';
import type { AssistantContent } from '../contract/transcript.js';
import type { AiSdkMessage, AiSdkToolResult } from './ai-sdk-types.js';
import type { ModelMessage, ModelRequest } from './model.js';

/**
 * The prompt of a request. Calls and results carry ids that are unique in the prompt: the provider's own
 * where it is there and new, else one made of turn and index (`outcome:key`). The beginning of a transcript
 * has the same ids whatever follows it.
 */
export function promptOf(request: ModelRequest): AiSdkMessage[] {
  const prompt: AiSdkMessage[] = [];
  if (request.instructions !== '') prompt.push({ role: 'system', content: request.instructions });
  const used = new Set<string>();
  let unanswered: string[] = [];
  let turn = 0;
  for (const message of request.messages) {
    switch (message.role) {
      case 'user':
        prompt.push({ role: 'user', content: [{ type: 'text', text: message.text }] });
        break;
      case 'assistant': {
        unanswered = wireIds(message.content, turn, used);
        const content = assistantParts(message.content, unanswered);
        if (content.length > 0) prompt.push({ role: 'assistant', content });
        turn += 1;
        break;
      }
      case 'tool': {
        const result = toolResult(message, unanswered.shift());
        const last = prompt.at(-1);
        if (last?.role === 'tool') last.content.push(result);
        else prompt.push({ role: 'tool', content: [result] });
        break;
      }
    }
  }
  return prompt;
}

function assistantParts(
  { text, calls }: AssistantContent,
  ids: readonly string[],
): Extract<AiSdkMessage, { role: 'assistant' }>['content'] {
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ tool, argsText }, index) => ({
      type: 'tool-call' as const,
      toolCallId: ids[index] ?? '',
      toolName: tool,
      input: inputOf(argsText),
    })),
  ];
}

function toolResult(
  { tool, status, text }: Extract<ModelMessage, { role: 'tool' }>,
  id: string | undefined,
): AiSdkToolResult {
  if (id === undefined) throw new Error('A tool message stands without its call.');
  return {
    type: 'tool-result',
    toolCallId: id,
    toolName: tool,
    output: { type: status === 'ok' ? 'text' : 'error-text', value: text },
  };
}

function wireIds({ calls }: AssistantContent, turn: number, used: Set<string>): string[] {
  return calls.map(({ providerCallId }, index) => {
    let id = providerCallId;
    for (let n = index; id.trim() === '' || used.has(id); n += 1) id = madeId(turn, n);
    used.add(id);
    return id;
  });
}

/** Nine letters and digits: the strictest form that a known provider asks for. */
function madeId(turn: number, index: number): string {
  return `c${turn.toString(36).padStart(5, '0')}${index.toString(36).padStart(3, '0')}`;
}

/** Providers take only an object here, so what the model wrote instead is shown to it inside one. */
function inputOf(argsText: string): JsonObject {
  if (argsText.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(argsText);
    if (isJsonObject(value) && !isTooDeep(value)) return value;
  } catch {
    // Not JSON: shown as text.
  }
  return { invalidArguments: argsText };
}

/** A provider's serialiser is recursive and would overflow the stack. */
function isTooDeep(value: JsonObject): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > LIMITS.jsonDepth) return true;
    level = level.flatMap((item): unknown[] =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
  }
  return false;
}
