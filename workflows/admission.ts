import { isUndecodable } from '../src/contract/payload-converter.js';
import type { DecisionErrorCode } from '../src/contract/error-codes.js';
import { isJsonObject } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';

export interface Refusal {
  readonly code: DecisionErrorCode;
  readonly text: string;
}

/**
 * The cheap look at a decision before it is queued: an object, not too large, not too many. It must be
 * synchronous; everything else is judged, and recorded, by the handler (`hitl:refused-decision`).
 * Gives the refusal, or undefined.
 */
export function admission(payload: unknown, queued: number): Refusal | undefined {
  if (queued >= LIMITS.queuedDecisions) {
    return { code: 'too_many_decisions', text: 'Too many decisions wait to be judged. Send it again later.' };
  }
  if (isUndecodable(payload)) {
    return {
      code: 'malformed_decision',
      text: `This is not a decision: ${payload.reason}. Send a JSON object.`,
    };
  }
  if (!isJsonObject(payload)) {
    return { code: 'malformed_decision', text: 'This is not a decision. Send a JSON object.' };
  }
  if (JSON.stringify(payload).length > LIMITS.decisionBytes) {
    return {
      code: 'decision_too_large',
      text: `A decision has at most ${String(LIMITS.decisionBytes)} characters of JSON. Shorten it.`,
    };
  }
  return undefined;
}
