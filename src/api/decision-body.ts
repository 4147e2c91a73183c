import { DECISION_SCHEMA, type Decision } from '../contract/decision.js';
import { isJsonObject, type JsonObject } from '../contract/json.js';
import type { SignedDecision } from '../contract/signed-decision.js';
import type { ObjectSchema } from '../contract/tool.js';
import { claimedDecision } from '../signing/claimed-decision.js';
import { ApiRefusal } from './problem.js';
import { refuseCwd } from './refuse-cwd.js';

/** What a body may say of a decision; the address and the token say the rest. */
type DecisionDraft = Omit<Decision, 'requestKey' | 'runId' | 'approver' | 'decisionId'> & {
  readonly decisionId?: string;
};
/** A decision that this server signs for the token's holder, or one that was signed elsewhere. */
export type DecisionBody = DecisionDraft | SignedDecision;

const { requestKey: _key, runId: _run, approver: _approver, ...properties } = DECISION_SCHEMA.properties;
const { if: edits, then, else: otherwise } = DECISION_SCHEMA;

export const DECISION_BODY: ObjectSchema = {
  type: 'object',
  properties: { ...properties, jws: { type: 'string', minLength: 1 } },
  additionalProperties: false,
  if: { required: ['jws'] },
  then: { maxProperties: 1 },
  else: {
    required: ['decision', 'tool', 'argsDigest', 'schemaDigest'],
    allOf: [{ if: edits, then, else: otherwise }],
  },
};

/** Looks for what no decision may hold, before the schema does. Arguments are the tool's own. Throws HoldfastError. */
export function lookAtDecision(body: unknown): void {
  refuseCwd(body, 'args');
  if (!isJsonObject(body) || !Object.hasOwn(body, 'approver')) return;
  const text = 'The approver is whoever the token belongs to. Leave approver out.';
  throw new ApiRefusal('malformed_decision', text, {
    errors: [{ in: 'body', detail: 'approver: not allowed here.' }],
  });
}

/**
 * What a signed decision claims, whether its signature is good or not. Throws ApiRefusal for one about another
 * request of this run than the address names: it would count there, unseen by whoever sent it here.
 */
export function claimsAt({ jws }: SignedDecision, id: string, requestKey: string): JsonObject {
  const claims = claimedDecision({ jws }) ?? {};
  if (claims['runId'] !== id || claims['requestKey'] === requestKey) return claims;
  throw new ApiRefusal(
    'malformed_decision',
    'The signed decision is about another request. Send it to the address of that one.',
    { errors: [{ in: 'body', detail: 'jws: it names another requestKey than the address.' }] },
  );
}
