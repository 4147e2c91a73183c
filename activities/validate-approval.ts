import type { ValidateApprovalInput } from '../src/contract/activities.js';
import type { ApprovalRequest, Decision, DecisionVerdict, KeptAnswer } from '../src/contract/decision.js';
import { isJsonObject, type Digest } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import type { SettledRequest } from '../src/contract/run.js';
import { sha256 } from '../src/digest.js';
import type { Refusal } from '../src/policy/decision-admission.js';
import type { HostedAgent } from '../src/registry/hosted-agent.js';
import { isDecision, shapeFault } from './decision-shape.js';
import { asActivityFailure } from './failures.js';
import { ASKS_ALWAYS, judgeEdit } from './judge-edit.js';

export interface ValidateApprovalDeps {
  readonly agentOf: (name: string) => Pick<HostedAgent, 'registry' | 'workspace'>;
}

/**
 * Judges a decision's payload, whatever it is (`hitl:revalidated`): its own schema, that the request waits,
 * that it is for the arguments shown, and for an edit the tool's schema, the guard and the risk level again.
 * Never throws for what a sender can cause.
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
  const payload: unknown = input.payload === undefined ? undefined : JSON.parse(input.payload);
  const names = namesIn(payload, input.salt);
  const refuse = ({ code, text }: Refusal): DecisionVerdict => ({ accepted: false, code, text, ...names });
  const earlier = input.answers.find(({ decisionId }) => decisionId === names.decisionId);
  if (earlier) return earlier.payloadDigest === names.payloadDigest ? repeat(earlier) : refuse(REUSED);
  if (!isDecision(payload)) return refuse(shapeFault(payload));
  const { requestKey, decisionId, decision } = payload;
  const request = input.pending.find((r) => r.requestKey === requestKey);
  if (!request) return refuse(notPending(requestKey, input.settled));
  const unbound = bindingFault(payload, request);
  if (unbound) return refuse(unbound);
  const accepted = {
    accepted: true,
    requestKey,
    decisionId,
    decision,
    payloadDigest: payloadDigest(payload, input.salt),
  } as const;
  if (decision !== 'edit') return accepted;
  const edited = await judgeEdit(deps.agentOf(input.agent), input, request, payload);
  return 'code' in edited ? refuse(edited) : { ...accepted, edited };
}

const REUSED: Refusal = {
  code: 'decision_id_reused',
  text: 'Another decision bore this decisionId before. Send this one under an id of its own.',
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
  if (decision.argsDigest !== request.argsDigest) {
    const text = 'The decision is for other arguments than those of the request. Look at it again.';
    return { code: 'digest_mismatch', text };
  }
  return decision.scope === 'run' && decision.decision !== 'deny' && !request.grantable
    ? ASKS_ALWAYS
    : undefined;
}

/** What a payload calls itself: recorded only as far as it can be a name at all. */
function namesIn(
  payload: unknown,
  salt: string,
): { decisionId?: string; requestKey?: string; payloadDigest?: Digest } {
  if (!isJsonObject(payload)) return {};
  const { decisionId, requestKey } = payload;
  return {
    ...(isName(requestKey, LIMITS.keyCharacters) && { requestKey }),
    ...(isName(decisionId, LIMITS.decisionIdCharacters) && {
      decisionId,
      payloadDigest: payloadDigest(payload, salt),
    }),
  };
}

function isName(value: unknown, characters: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= characters;
}

/** Over the JSON as it came: half of a surrogate pair has no canonical form, and is no reason to throw. */
function payloadDigest(payload: object, salt: string): Digest {
  return sha256(`${salt}\n${JSON.stringify(payload)}`);
}
