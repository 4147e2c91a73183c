import type { HoldfastClient } from '../client.js';
import type { Decision, DecisionAnswer } from '../contract/decision.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { SignedDecision } from '../contract/signed-decision.js';
import { inTime, type Waiting } from './ask-run.js';

/**
 * Decides, and gives the answer. When no worker answers in time, the same signed decision goes by signal too, and
 * `sent` says so: it is judged once a worker is back, and both are one by their decisionId. Throws HoldfastError
 * `temporal_unavailable` when even that cannot be said, and as `HoldfastClient.decide` does.
 */
export async function decideOrSend(
  client: HoldfastClient,
  runId: string,
  decision: Decision | SignedDecision,
  waiting: Waiting = {},
): Promise<DecisionAnswer | 'sent'> {
  // Signed once: a key may be rotated while the answer is waited for.
  const signed = await client.signed(decision);
  try {
    return await inTime(client, () => client.decide(runId, signed), waiting);
  } catch (error) {
    if (!isNoWorker(error)) throw error;
    await inTime(client, () => client.signalDecision(runId, signed), waiting).catch((cause: unknown) => {
      if (!isNoWorker(cause)) throw cause;
      const text =
        'The Temporal server does not answer, so the decision may not have arrived. Send it again.';
      throw new HoldfastError('temporal_unavailable', text, { cause });
    });
    return 'sent';
  }
}

function isNoWorker(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === 'no_worker';
}
