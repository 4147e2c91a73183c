import { parseArgs } from 'node:util';
import { decisionFor, HoldfastClient, type DecisionDraft } from '../../client.js';
import { readConfig } from '../../config.js';
import type { ApprovalRequest, Decision } from '../../contract/decision.js';
import { refusalOf } from '../../audit/timeline.js';
import { followHistory } from '../../audit/follow-history.js';
import { mayAsk } from '../../audit/history-event.js';
import { KeyDirectory } from '../../signing/key-directory.js';
import { TimelineFold } from '../../audit/timeline-fold.js';

/**
 * A program of its own: watches one run through the client library and approves every request, by signal and by
 * update in turn. Of the example it edits the line for the changelog first, as a person might.
 * Ends with 1 when a decision of its own is refused.
 */
const { values } = parseArgs({
  options: {
    run: { type: 'string', default: '' },
    address: { type: 'string', default: '' },
    namespace: { type: 'string', default: '' },
    example: { type: 'boolean', default: false },
  },
});

export const APPROVER = 'second-process';

// Whoever started this holds the other end, to the end of its life.
process.stdin.once('close', () => process.exit()).resume();

const { temporal, stateDir } = readConfig();
const client = await HoldfastClient.connect({
  connection: temporal?.connection ?? { address: values.address },
  namespace: values.namespace,
  signer: new KeyDirectory(stateDir),
});
const refused = await approveAll(client, values.run);
await client.close();
if (refused) {
  process.stderr.write(`${refused.code}: the second process's decision was refused. ${refused.text}\n`);
}
process.exit(refused ? 1 : 0);

async function approveAll(client: HoldfastClient, runId: string): Promise<ReturnType<typeof refusalOf>> {
  const fold = new TimelineFold();
  const decided = new Map<string, Decision>();
  for await (const event of followHistory(client.temporal, runId)) {
    for (const change of fold.add(event)) {
      const refusal = change.kind === 'judged' ? refusalOf(change.decision) : undefined;
      if (refusal && [...decided.values()].some(({ decisionId }) => decisionId === refusal.decisionId))
        return refusal;
    }
    if (!mayAsk(event)) continue;
    for (const request of await client.pending(runId)) {
      if (decided.has(request.requestKey)) continue;
      const decision = decisionFor(request, ruling(request));
      decided.set(request.requestKey, decision);
      if (decided.size % 2 === 1) await client.signalDecision(runId, decision);
      else await client.decide(runId, decision);
    }
  }
  return undefined;
}

function ruling({ tool, args }: ApprovalRequest): DecisionDraft {
  const { path, content } = args;
  const approve = { decision: 'approve', approver: 'second-process' } as const;
  if (!values.example || tool !== 'write' || path !== 'CHANGELOG.md' || typeof content !== 'string')
    return approve;
  const edited = content.replace('was missing.', 'was missing for orders of exactly 10 or 50 pieces.');
  return edited === content ? approve : { ...approve, decision: 'edit', args: { ...args, content: edited } };
}
