import { DECISION_SCHEMA, type Decision } from '../src/contract/decision.js';
import type { DecisionErrorCode } from '../src/contract/error-codes.js';
import { isJsonObject, type JsonObject } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import { CWD_NOT_PERMITTED } from '../src/contract/names.js';
import { isUndecodable } from '../src/contract/payload-converter.js';
import { compileSchema } from '../src/registry/schema-validator.js';

const checkDecision = compileSchema(DECISION_SCHEMA);

/** Why a decision does not count, for its sender. */
export type Refusal = readonly [code: DecisionErrorCode, text: string];

/** True for a payload that has the shape and the size of a decision; the rest is not yet known. */
export function isDecision(payload: unknown): payload is Decision {
  return isJsonObject(payload) && !isTooLarge(payload) && checkDecision(payload) === undefined;
}

function isTooLarge(payload: JsonObject): boolean {
  return sizeOf(payload) > LIMITS.decisionBytes;
}

/** Bytes of JSON. */
export function sizeOf(value: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** What is wrong with a payload that is no decision, the most telling fault first. */
export function shapeFault(payload: unknown): Refusal {
  if (isUndecodable(payload)) {
    return ['malformed_decision', `This is not a decision: ${payload.reason}. Send a JSON object.`];
  }
  if (!isJsonObject(payload)) return ['malformed_decision', 'This is not a decision. Send a JSON object.'];
  if (Object.hasOwn(payload, 'cwd')) return ['cwd_not_permitted', CWD_NOT_PERMITTED];
  if (isTooLarge(payload)) {
    const limit = String(LIMITS.decisionBytes);
    return ['decision_too_large', `A decision has at most ${limit} bytes of JSON. Shorten it.`];
  }
  return ['malformed_decision', `This is not a decision. ${checkDecision(payload) ?? ''}`];
}
