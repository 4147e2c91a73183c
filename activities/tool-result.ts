import type { JsonValue } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import { NotJsonError, plainJson } from '../src/registry/plain-json.js';
import { isInstance } from './is-instance.js';
import { errorEnd, type ToolEnd } from './tool-end.js';

/**
 * Reads what a handler returned (`tool:handler-result`): a string, a ToolOutcome, or
 * `{content: [{type: 'text', text}], details, isError}`. The status comes from the fields made for it, never
 * from the text. Anything else, and details that JSON cannot carry, is the outcome `tool_error`. Never throws.
 */
export function readResult(result: unknown): ToolEnd {
  try {
    return typeof result === 'string' ? { status: 'ok', text: result } : readObject(result);
  } catch (error) {
    return unusable(isInstance(error, NotJsonError) ? `details: ${error.message}` : 'it cannot be read');
  }
}

function readObject(result: unknown): ToolEnd {
  if (typeof result !== 'object' || result === null)
    return unusable(`it is ${result === null ? 'null' : typeof result}`);
  const failed = 'status' in result ? statusFailed(result.status) : isErrorSet(result);
  const text = 'status' in result ? ('text' in result ? result.text : undefined) : contentText(result);
  if (failed === undefined) return unusable('its status is neither ok nor error');
  if (typeof text !== 'string') return unusable('it has no text');
  const details =
    'details' in result && result.details !== undefined ? boundedDetails(result.details) : undefined;
  return {
    ...(failed ? errorEnd('tool_error', text) : ({ status: 'ok', text } as const)),
    ...(details !== undefined && { details }),
  };
}

function statusFailed(status: unknown): boolean | undefined {
  return status === 'error' ? true : status === 'ok' ? false : undefined;
}

function isErrorSet(result: object): boolean | undefined {
  const isError = 'isError' in result ? (result.isError ?? false) : false;
  return typeof isError === 'boolean' ? isError : undefined;
}

/** Undefined unless the content is a list of texts. */
function contentText(result: object): string | undefined {
  if (!('content' in result) || !Array.isArray(result.content)) return undefined;
  const parts: readonly unknown[] = result.content;
  const texts = parts.map((part) =>
    typeof part === 'object' && part !== null && 'type' in part && part.type === 'text' && 'text' in part
      ? part.text
      : undefined,
  );
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : undefined;
}

/** Details are for programs and auditors; too large ones would burden every reading of the history. */
function boundedDetails(details: unknown): JsonValue {
  const json = plainJson(details);
  const bytes = Buffer.byteLength(JSON.stringify(json));
  return bytes <= LIMITS.detailsBytes ? json : { omitted: 'too large', bytes, limit: LIMITS.detailsBytes };
}

function unusable(why: string): ToolEnd {
  return errorEnd(
    'tool_error',
    `The tool ran, but its result cannot be used: ${why}. Check its effect before you repeat it.`,
  );
}
