import type { CountedApproval } from '../src/contract/decision.js';
import { HoldfastError } from '../src/contract/error-codes.js';
import type { Digest } from '../src/contract/json.js';
import { isInOwnName } from '../src/policy/approver-rights.js';
import type { TrustedKey } from '../src/signing/trusted-keys.js';
import type { TranscriptStore } from '../src/transcript/store.js';
import { readDecision, type ReadDecision } from './read-decision.js';

/** A decision that counted: what was signed, and when it arrived, workflow time. */
interface DecisionEvidence {
  readonly jws: string;
  readonly arrivedAt: number;
}

/** Keeps what a decision counted by, so that its execution need not believe the workflow (`hitl:signed`). */
export function keepEvidence(transcript: TranscriptStore, evidence: DecisionEvidence): Promise<Digest> {
  return transcript.put({ ...evidence });
}

/**
 * Reads the decision behind an approval and verifies it anew, by these keys as of its arrival. Undefined when there is
 * none, or when it is not what the approval says.
 */
export async function provenDecision(
  transcript: TranscriptStore,
  keys: readonly TrustedKey[],
  { evidence, approver, decisionId, scope }: CountedApproval,
): Promise<ReadDecision['decision'] | undefined> {
  const { jws, arrivedAt } = await kept(transcript, evidence);
  if (typeof arrivedAt !== 'number') return undefined;
  const read = await readDecision({ jws }, keys, arrivedAt);
  if (!('decision' in read) || !isInOwnName(read)) return undefined;
  const { decision } = read;
  const same =
    decision.approver === approver &&
    decision.decisionId === decisionId &&
    (decision.scope ?? 'once') === scope;
  return same ? decision : undefined;
}

async function kept(
  transcript: TranscriptStore,
  evidence: Digest,
): Promise<{ jws?: unknown; arrivedAt?: unknown }> {
  try {
    return await transcript.get(evidence);
  } catch (error) {
    // Missing or altered. That the store cannot be read is another fault.
    if (error instanceof HoldfastError && error.code === 'transcript_damaged') return {};
    throw error;
  }
}
