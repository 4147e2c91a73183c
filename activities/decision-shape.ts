import { DECISION_SCHEMA, type Decision } from '../src/contract/decision.js';
import { isJsonObject } from '../src/contract/json.js';
import { CWD_NOT_PERMITTED } from '../src/contract/names.js';
import { admissionFault, type Refusal } from '../src/policy/decision-admission.js';
import { compileSchema } from '../src/registry/schema-validator.js';

const checkDecision = compileSchema(DECISION_SCHEMA);

/** True for a payload that has the shape and the size of a decision; the rest is not yet known. */
export function isDecision(payload: unknown): payload is Decision {
  return admissionFault(payload) === undefined && checkDecision(payload) === undefined;
}

/** What is wrong with a payload that is no decision, the most telling fault first. */
export function shapeFault(payload: unknown): Refusal {
  const fault = admissionFault(payload);
  if (fault) return fault;
  if (isJsonObject(payload) && Object.hasOwn(payload, 'cwd')) {
    return { code: 'cwd_not_permitted', text: CWD_NOT_PERMITTED };
  }
  return { code: 'malformed_decision', text: `This is not a decision. ${checkDecision(payload) ?? ''}` };
}
