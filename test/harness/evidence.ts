import { keepEvidence } from '../../activities/decision-evidence.js';
import type { CountedApproval, Decision } from '../../src/contract/decision.js';
import type { TranscriptStore } from '../../src/transcript/store.js';
import { SERVER_KEY, type TestKey } from './keys.js';

/** When the decisions of the tests arrived, workflow time. */
export const ARRIVED_AT = 1_000;

/** An approval as it counts, its signed decision kept as a worker keeps it. */
export async function approvalBy(
  transcript: TranscriptStore,
  decision: Decision,
  key: TestKey = SERVER_KEY,
): Promise<CountedApproval> {
  const jws = await key.signer.sign(decision);
  const { keyId, kind } = key.trusted;
  const { approver, decisionId, scope = 'once' } = decision;
  const evidence = await keepEvidence(transcript, { jws, arrivedAt: ARRIVED_AT });
  return { approver, decisionId, keyId, kind, scope, evidence };
}
