import type { ExecuteToolInput } from '../src/contract/activities.js';
import type { Decision } from '../src/contract/decision.js';
import { argsDigest } from '../src/digest.js';
import { checkedKeyOf } from '../src/policy/request-key.js';
import type { TrustedKeys } from '../src/signing/trusted-keys.js';
import type { TranscriptStore } from '../src/transcript/store.js';
import { provenDecision } from './decision-evidence.js';

export interface ApprovalEvidence {
  readonly transcript: TranscriptStore;
  readonly trustedKeys: TrustedKeys;
}

/**
 * Why the signed decisions behind an authorization do not allow this execution, in words, or undefined
 * (`hitl:signed`). Whoever reaches the namespace can have a workflow say that somebody approved; only a key that counts
 * can have signed it.
 */
export async function approvalsFault(
  { transcript, trustedKeys }: ApprovalEvidence,
  input: ExecuteToolInput,
): Promise<string | undefined> {
  const { authorization } = input;
  if (authorization.kind === 'free') return undefined;
  const approvals: unknown = authorization.approvals;
  if (!Array.isArray(approvals) || approvals.length === 0) return 'nobody is known to have allowed it';
  const allows = authorization.kind === 'grant' ? grantsAll : allowsThis;
  const keys = await trustedKeys();
  for (const [place, approval] of authorization.approvals.entries()) {
    const decision = await provenDecision(transcript, keys, approval);
    if (!decision) return 'no signature that counts is known for who allowed it';
    if (decision.runId !== input.runId || decision.tool !== input.tool || !allows(decision, input, place)) {
      return 'what was signed does not allow it';
    }
  }
  return undefined;
}

/** Each approves the very arguments that are to run; an edit, which can only be the first, had others before it. */
function allowsThis(decision: Decision, input: ExecuteToolInput, place: number): boolean {
  const { validation, salt, requestKey } = input;
  // After an edit the call bears the key of the request itself.
  const asked = checkedKeyOf(decision.requestKey);
  const isAboutIt = asked === requestKey || asked === checkedKeyOf(requestKey);
  if (!isAboutIt || decision.schemaDigest !== validation.schemaDigest) return false;
  switch (decision.decision) {
    case 'approve':
      return decision.argsDigest === validation.argsDigest;
    case 'edit':
      return place === 0 && argsDigest(salt, decision.args ?? {}) === validation.argsDigest;
    case 'deny':
      return false;
  }
}

function grantsAll({ decision, scope }: Decision): boolean {
  return decision !== 'deny' && scope === 'run';
}
