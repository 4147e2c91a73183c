import type { DecisionErrorCode } from '../contract/error-codes.js';
import { isJsonObject, jsonBytes } from '../contract/json.js';
import { LIMITS } from '../contract/limits.js';
import { isUndecodable } from '../contract/payload-converter.js';

/** Why a decision does not count, for its sender. */
export interface Refusal {
  readonly code: DecisionErrorCode;
  readonly text: string;
  /** JSON Pointer (RFC 6901) into the edited arguments, where the fault of an edit has a place. */
  readonly at?: string;
}

/** The cheap look at a decision's payload, before its schema: an object, and not too large. */
export function admissionFault(payload: unknown): Refusal | undefined {
  if (isUndecodable(payload)) {
    return {
      code: 'malformed_decision',
      text: `This is not a decision: ${payload.reason}. Send a JSON object.`,
    };
  }
  if (!isJsonObject(payload)) {
    return { code: 'malformed_decision', text: 'This is not a decision. Send a JSON object.' };
  }
  if (jsonBytes(payload) > LIMITS.decisionBytes) {
    const text = `A decision has at most ${String(LIMITS.decisionBytes)} bytes of JSON. Shorten it.`;
    return { code: 'decision_too_large', text };
  }
  return undefined;
}
