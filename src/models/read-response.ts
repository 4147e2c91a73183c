import type { FinishReason } from '../contract/activities.js';
import type { ProposedCall } from '../contract/call.js';
import { isJsonObject } from '../contract/json.js';
import { ModelFailure, type ModelResponse } from './model.js';

/** The compiler holds it complete. */
const REASONS: Record<FinishReason, true> = {
  stop: true,
  tool_calls: true,
  length: true,
  content_filter: true,
  other: true,
};

/**
 * What a model gave, known to be an answer: a model may be anybody's JavaScript, and what its usage lacks, or holds
 * beside a number, would wedge the run or take its budget of tokens away. Throws a final ModelFailure that names
 * the member (`model:failures`).
 */
export function readResponse(given: unknown): ModelResponse {
  if (!isJsonObject(given)) throw noAnswer('it must be an object');
  const { text, calls, finishReason, usage } = given;
  if (typeof text !== 'string') throw noAnswer('text must be a string');
  if (!isCalls(calls)) {
    throw noAnswer('calls must be a list of objects with the strings providerCallId, tool and argsText');
  }
  if (!isReason(finishReason)) throw noAnswer(`finishReason must be ${Object.keys(REASONS).join(', ')}`);
  if (!isUsage(usage))
    throw noAnswer('usage must be an object, its inputTokens and outputTokens numbers from 0');
  // Nothing else of it, which might be what no payload can carry.
  return { text, calls, finishReason, usage: tokensIn(usage) };
}

function isCalls(value: unknown): value is readonly ProposedCall[] {
  if (!Array.isArray(value)) return false;
  return value.every(
    (call: unknown) =>
      isJsonObject(call) &&
      [call.providerCallId, call.tool, call.argsText].every((member) => typeof member === 'string'),
  );
}

function isReason(value: unknown): value is FinishReason {
  return typeof value === 'string' && Object.hasOwn(REASONS, value);
}

function isUsage(value: unknown): value is ModelResponse['usage'] {
  return isJsonObject(value) && [value.inputTokens, value.outputTokens].every(isTokens);
}

function tokensIn({ inputTokens, outputTokens }: ModelResponse['usage']): ModelResponse['usage'] {
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  };
}

function isTokens(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0);
}

function noAnswer(rule: string): ModelFailure {
  return new ModelFailure(
    `The adapter of the model gave no answer of a model: ${rule}. Mend the adapter.`,
    false,
  );
}
