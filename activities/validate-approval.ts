import type { ValidateApprovalInput } from '../src/contract/activities.js';
import type { ApprovalRequest, Decision, DecisionVerdict, KeptAnswer } from '../src/contract/decision.js';
import type { Digest } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import type { SettledRequest } from '../src/contract/run.js';
import { sha256 } from '../src/digest.js';
import { rightsFault } from '../src/policy/approver-rights.js';
import type { Refusal } from '../src/policy/decision-admission.js';
import type { HostedAgent } from '../src/registry/hosted-agent.js';
import { claimedDecision } from '../src/signing/claimed-decision.js';
import type { TrustedKeys } from '../src/signing/trusted-keys.js';
import type { TranscriptStore } from '../src/transcript/store.js';
import { asActivityFailure } from './failures.js';
import { ASKS_ALWAYS, judgeEdit } from './judge-edit.js';
import { keepEvidence } from './decision-evidence.js';
import { readDecision } from './read-decision.js';

export interface ValidateApprovalDeps {
  readonly agentOf: (name: string) => Pick<HostedAgent, 'registry' | 'workspace'>;
  readonly trustedKeys: TrustedKeys;
  readonly transcript: TranscriptStore;
}

/**
 * Judges a decision's payload, whatever it is (`hitl:revalidated`): its signature, its own schema, that the
 * request waits, that it is for the arguments shown, that the approver may decide this, and for an edit the
 * tool's schema, the guard and the risk level again. Never throws for what a sender can cause.
 */
export function createValidateApproval(deps: ValidateApprovalDeps) {
  return async function validateApproval(input: ValidateApprovalInput): Promise<DecisionVerdict> {
    try {
      return await judgeDecision(deps, input);
    } catch (error) {
      throw asActivityFailure(error);
    }
  };
}

async function judgeDecision(
  deps: ValidateApprovalDeps,
  input: ValidateApprovalInput,
): Promise<DecisionVerdict> {
  const payloadDigest = digestOfPayload(input);
  // The very bytes were judged before, their signature included.
  const same = input.answers.find((answer) => answer.payloadDigest === payloadDigest);
  if (same) return repeat(same);
  const payload: unknown = input.payload === undefined ? undefined : JSON.parse(input.payload);
  const named = namesIn(payload);
  const read = await readDecision(payload, await deps.trustedKeys(), input.arrivedAt);
  if (!('decision' in read)) return { accepted: false, ...read, ...named };
  const { decision, signature } = read;
  const refuse = (refusal: Refusal): DecisionVerdict => {
    return { accepted: false, ...refusal, ...named, payloadDigest, signature };
  };
  if (input.answers.some(({ decisionId }) => decisionId === decision.decisionId)) return refuse(REUSED);
  if (decision.runId !== input.runId) return refuse(WRONG_RUN);
  const request = input.pending.find((r) => r.requestKey === decision.requestKey);
  if (!request) return refuse(notPending(decision.requestKey, input.settled));
  const { startedBy } = input;
  const fault =
    bindingFault(decision, request) ??
    rightsFault(input.approvals, request, { ...read, ...(startedBy !== undefined && { startedBy }) });
  if (fault) return refuse(fault);
  const edited =
    decision.decision === 'edit'
      ? await judgeEdit(deps.agentOf(input.agent), input, request, decision)
      : undefined;
  if (edited && 'code' in edited) return refuse(edited);
  const evidence = await keepEvidence(deps.transcript, { jws: read.jws, arrivedAt: input.arrivedAt });
  return { accepted: true, decision, signature, evidence, payloadDigest, ...edited };
}

const REUSED: Refusal = {
  code: 'decision_id_reused',
  text: 'Another decision bore this decisionId before. Send this one under an id of its own.',
};
const WRONG_RUN: Refusal = {
  code: 'wrong_run',
  text: 'The decision was signed for another run. Sign one for the request that waits here.',
};
const UNKNOWN: Refusal = {
  code: 'unknown_request',
  text: 'No request of this key waits in this run. List them anew.',
};
const LATE: Record<SettledRequest['how'], Refusal> = {
  decided: { code: 'request_decided', text: 'This request was decided before. Nothing changed.' },
  expired: {
    code: 'request_expired',
    text: 'This request has expired; its tool did not run. Nothing changed.',
  },
  withdrawn: {
    code: 'request_withdrawn',
    text: 'This request was withdrawn; its tool did not run. Nothing changed.',
  },
};

function repeat({ answer }: KeptAnswer): DecisionVerdict {
  return { repeated: true, answer };
}

function notPending(requestKey: string, settled: readonly SettledRequest[]): Refusal {
  const late = settled.find((s) => s.requestKey === requestKey);
  return late ? LATE[late.how] : UNKNOWN;
}

function bindingFault(decision: Decision, request: ApprovalRequest): Refusal | undefined {
  if (decision.tool !== request.tool || decision.schemaDigest !== request.schemaDigest) {
    const text =
      'The decision is for another tool, or another schema of it, than the request. Look at it again.';
    return { code: 'digest_mismatch', text };
  }
  if (decision.argsDigest !== request.argsDigest) {
    const text = 'The decision is for other arguments than those of the request. Look at it again.';
    return { code: 'digest_mismatch', text };
  }
  return decision.scope === 'run' && decision.decision !== 'deny' && !request.grantable
    ? ASKS_ALWAYS
    : undefined;
}

/** What a payload calls itself, rightly signed or not: recorded only as far as it can be a name at all. */
function namesIn(payload: unknown): { decisionId?: string; requestKey?: string } {
  const { decisionId, requestKey } = claimedDecision(payload) ?? {};
  return {
    ...(isName(requestKey, LIMITS.keyCharacters) && { requestKey }),
    ...(isName(decisionId, LIMITS.decisionIdCharacters) && { decisionId }),
  };
}

function isName(value: unknown, characters: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= characters;
}

/** Over the JSON as it came. */
function digestOfPayload({ payload = '', salt }: ValidateApprovalInput): Digest {
  return sha256(`${salt}\n${payload}`);
}
