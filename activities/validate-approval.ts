import type { ValidateApprovalInput } from '../src/contract/activities.js';
import type { ApprovalRequest, Decision, DecisionVerdict } from '../src/contract/decision.js';
import type { DecisionErrorCode } from '../src/contract/error-codes.js';
import { isJsonObject } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import type { ManifestTool } from '../src/contract/manifest.js';
import type { SettledRequest } from '../src/contract/run.js';
import { isGrantable } from '../src/policy/risk.js';
import type { HostedAgent } from '../src/registry/hosted-agent.js';
import { isDecision, shapeFault, sizeOf, type Refusal } from './decision-shape.js';
import { asActivityFailure } from './failures.js';
import { judgeGuard } from './guard-paths.js';
import { judgeArguments } from './validate-tool-call.js';

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
  const { payload } = input;
  if (!isDecision(payload)) return refuse(payload, ...shapeFault(payload));
  const decision = payload;
  const request = input.pending.find((r) => r.requestKey === decision.requestKey);
  if (!request) return refuse(payload, ...notPending(decision, input.settled));
  const binding = checkBinding(decision, request);
  if (binding) return refuse(payload, ...binding);
  const { requestKey, decisionId } = decision;
  const accepted = { accepted: true, requestKey, decisionId, decision: decision.decision } as const;
  if (decision.decision !== 'edit') return accepted;
  const tool = input.tools.find((t) => t.name === request.tool);
  if (!tool) return refuse(payload, 'edit_invalid', 'The tool of this request is not recorded in the run.');
  const edit = await judgeEdit(deps, input, request, tool, decision);
  if ('code' in edit) return refuse(payload, edit.code, edit.text);
  return { ...accepted, edited: edit };
}

const EDIT_TOO_LARGE = `Edited arguments have at most ${String(LIMITS.argumentBytes)} bytes of JSON. Shorten them.`;
const ASKS_ALWAYS = 'This tool asks every time. Decide with scope once.';

const LATE: Record<SettledRequest['how'], Refusal> = {
  decided: ['request_decided', 'This request was decided before. Nothing changed.'],
  expired: ['request_expired', 'This request has expired; its tool did not run. Nothing changed.'],
  withdrawn: ['request_withdrawn', 'This request was withdrawn; its tool did not run. Nothing changed.'],
};

function notPending({ requestKey }: Decision, settled: readonly SettledRequest[]): Refusal {
  const late = settled.find((s) => s.requestKey === requestKey);
  return late
    ? LATE[late.how]
    : ['unknown_request', 'No request of this key waits in this run. List them anew.'];
}

function checkBinding(decision: Decision, request: ApprovalRequest): Refusal | undefined {
  if (decision.argsDigest !== request.argsDigest) {
    return [
      'digest_mismatch',
      'The decision is for other arguments than those of the request. Look at it again.',
    ];
  }
  if (decision.scope === 'run' && decision.decision !== 'deny' && !request.grantable) {
    return ['grant_not_allowed', ASKS_ALWAYS];
  }
  return undefined;
}

async function judgeEdit(
  deps: ValidateApprovalDeps,
  input: ValidateApprovalInput,
  request: ApprovalRequest,
  recorded: ManifestTool,
  decision: Decision,
): Promise<
  | (Extract<DecisionVerdict, { accepted: true }>['edited'] & object)
  | { code: DecisionErrorCode; text: string }
> {
  const { requestKey } = request;
  const { args = {} } = decision;
  const { registry, workspace } = deps.agentOf(input.agent);
  if (sizeOf(args) > LIMITS.argumentBytes) return { code: 'edit_invalid', text: EDIT_TOO_LARGE };
  const verdict = judgeArguments({ registry, recorded, requestKey, args, salt: input.salt });
  if (!verdict.valid) return { code: 'edit_invalid', text: verdict.text };
  const { args: _same, ...validation } = verdict;
  const { argsDigest, riskLevel } = validation;
  if (decision.scope === 'run' && !isGrantable(riskLevel))
    return { code: 'grant_not_allowed', text: ASKS_ALWAYS };
  const guard = await judgeGuard(workspace, {
    requestKey,
    pathArgs: recorded.pathArgs,
    riskLevel,
    protectedPaths: input.protectedPaths,
    args,
    argsDigest,
  });
  if (!guard.allowed) return { code: 'edit_refused', text: guard.text };
  return { validation, guard };
}

function refuse(payload: unknown, code: DecisionErrorCode, text: string): DecisionVerdict {
  const named = isJsonObject(payload) ? payload : {};
  return {
    accepted: false,
    code,
    text,
    ...(isShort(named.decisionId) && { decisionId: named.decisionId }),
    ...(isShort(named.requestKey) && { requestKey: named.requestKey }),
  };
}

/** What a stranger sent is recorded only as far as it can be a name at all. */
function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 512;
}
