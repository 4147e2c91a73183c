import { DECISION_SCHEMA, type Decision } from '../src/contract/decision.js';
import { isJsonObject, type JsonObject } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import { CWD_NOT_PERMITTED } from '../src/contract/names.js';
import type { SignedDecision, VerifiedSignature } from '../src/contract/signed-decision.js';
import { admissionFault, type Refusal } from '../src/policy/decision-admission.js';
import { parseStrictly } from '../src/registry/parse-arguments.js';
import { compileSchema } from '../src/registry/schema-validator.js';
import type { TrustedKey } from '../src/signing/trusted-keys.js';
import { verifySignature } from '../src/signing/verify-signature.js';

/** A decision as it was signed, and by whose key. */
export interface ReadDecision {
  readonly decision: Decision;
  /** As it came. */
  readonly jws: string;
  readonly signature: VerifiedSignature;
  /** To whom the key belongs; absent for an attesting key. */
  readonly holder?: string;
}

/** The fault of what arrived; with its signature when that is good. */
export type DecisionFault = Refusal & { readonly signature?: VerifiedSignature };

const fault = compileSchema(DECISION_SCHEMA);
const SEND = 'Send {"jws": …} alone; `holdfast sign-decision` prints one.';

/**
 * Reads what arrived, which may be anything: a signature by a key that counts, over the strict JSON of one
 * decision (`hitl:signed`, `hitl:revalidated`). Never throws for what a sender can cause.
 */
export async function readDecision(
  payload: unknown,
  keys: readonly TrustedKey[],
  arrivedAt: number,
): Promise<ReadDecision | DecisionFault> {
  if (!isSigned(payload)) return shapeFault(payload);
  const verified = await verifySignature(payload.jws, keys, arrivedAt);
  if ('code' in verified) return verified;
  const { signature, text, holder } = verified;
  const parsed = parseStrictly(text, 'The contents of the decision', LIMITS.decisionBytes);
  if (!parsed.ok) return { code: 'malformed_decision', text: parsed.text, signature };
  const decision: unknown = parsed.args;
  if (!isDecision(decision)) return { ...claimsFault(parsed.args), signature };
  return { decision, jws: payload.jws, signature, ...(holder !== undefined && { holder }) };
}

function isSigned(payload: unknown): payload is SignedDecision {
  if (admissionFault(payload) !== undefined || !isJsonObject(payload)) return false;
  return typeof payload.jws === 'string' && Object.keys(payload).length === 1;
}

function isDecision(value: unknown): value is Decision {
  return fault(value) === undefined;
}

/** What is wrong with a payload that is no signed decision, the most telling fault first. */
function shapeFault(payload: unknown): Refusal {
  const unfit = admissionFault(payload);
  if (unfit) return unfit;
  if (isJsonObject(payload) && Object.hasOwn(payload, 'cwd')) return CWD;
  return { code: 'malformed_decision', text: `This is not a signed decision. ${SEND}` };
}

function claimsFault(claims: JsonObject): Refusal {
  if (Object.hasOwn(claims, 'cwd')) return CWD;
  return { code: 'malformed_decision', text: `This is not a decision. ${fault(claims)?.text ?? ''}` };
}

const CWD: Refusal = { code: 'cwd_not_permitted', text: CWD_NOT_PERMITTED };
