import { workflowInfo } from '@temporalio/workflow';
import type { Authorization } from '../src/contract/call.js';
import type { ApprovalRequest } from '../src/contract/decision.js';
import { jsonBytes } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import type { ShownPreview } from '../src/contract/preview.js';
import { MODEL_TEXTS } from '../src/policy/model-texts.js';
import { quorumFor } from '../src/policy/approver-rights.js';
import { basisToHold } from '../src/policy/preview-basis.js';
import { requestKeyIn } from '../src/policy/request-key.js';
import { permissionFor } from '../src/policy/risk.js';
import type { ApprovalGate } from './approval-gate.js';
import { previewToolCall } from './activities.js';
import type { CallEnd, Ruling } from '../src/contract/turn-under-way.js';
import { isInfrastructureFault, stopped } from './call-end.js';
import { waitingFor, type CheckedCall } from './check-call.js';
import type { Run } from './run.js';

/** A checked call that may run. Only `authorize` makes one. */
export interface AuthorizedCall extends CheckedCall {
  readonly authorization: Authorization;
}

/** Asks when the policy says so. Gives the call with its authorization, the arguments being those to run. */
export async function authorize(
  run: Run,
  gate: ApprovalGate,
  checked: CheckedCall,
  modelText: string,
): Promise<AuthorizedCall | CallEnd> {
  if (run.isStopping) return stopped(run);
  const waiting = waitingFor(run.state, checked.key);
  if (waiting) return ruled(run, checked, await gate.resume(waiting));
  const { tool, validation } = checked;
  const { requireApprovalFor, approvals } = run.manifest;
  const { riskLevel } = validation;
  const permission = permissionFor(tool.name, riskLevel, run.state.grants, requireApprovalFor, approvals);
  if (permission.kind === 'deny') {
    const text = MODEL_TEXTS.deniedByPolicy(permission.reason);
    return { outcome: { status: 'denied', byPolicy: true }, text: { inline: text } };
  }
  if (permission.kind !== 'ask') return { ...checked, authorization: permission };
  const request = (preview?: ShownPreview): ApprovalRequest =>
    requestFor(run, checked, { grantable: permission.grantable, modelText, preview });
  const atMost = jsonBytes(request()) + (tool.previews ? PREVIEW_BYTES : 0);
  // Made when there is room for it: a preview that waited for room would be lost when the run continues as new.
  const made = async (): Promise<ApprovalRequest> =>
    request(tool.previews ? await run.steps.do(() => previewOf(run, checked)) : undefined);
  return ruled(run, checked, await gate.ask(atMost, made));
}

/** The most that a preview adds to its request, bytes of JSON: its text, and room for what names it. */
const PREVIEW_BYTES = LIMITS.previewBytes + 1024;

/** What becomes of a call by how its request ended. */
export function ruled(run: Run, checked: CheckedCall, ruling: Ruling): AuthorizedCall | CallEnd {
  switch (ruling.kind) {
    case 'denied':
      return { outcome: { status: 'denied' }, text: { inline: MODEL_TEXTS.denied(ruling.reason) } };
    case 'expired':
      return { outcome: { status: 'expired' }, text: { inline: MODEL_TEXTS.expired } };
    case 'withdrawn':
      return stopped(run);
    case 'approved':
      return authorized(checked, ruling);
  }
}

/** What the person is shown. A preview that fails is shown as failed: the arguments alone are decided about then. */
async function previewOf(
  run: Run,
  { requestKey, tool, args, validation }: CheckedCall,
): Promise<ShownPreview | undefined> {
  // It was held back until the run had an end.
  if (run.defect) return undefined;
  try {
    const { preview } = await run.room.record(() =>
      previewToolCall({
        agent: run.agent,
        requestKey,
        tool: tool.name,
        pathArgs: tool.pathArgs,
        riskLevel: validation.riskLevel,
        protectedPaths: run.manifest.protectedPaths,
        args,
        argsDigest: validation.argsDigest,
      }),
    );
    return preview;
  } catch (error) {
    if (!isInfrastructureFault(error)) throw error;
    return { kind: 'failed', text: 'The preview could not be made.' };
  }
}

interface Shown {
  readonly grantable: boolean;
  readonly modelText: string;
  readonly preview: ShownPreview | undefined;
}

function requestFor(
  run: Run,
  checked: CheckedCall,
  { grantable, modelText, preview }: Shown,
): ApprovalRequest {
  const { key, tool, args, validation, guard } = checked;
  const requestedAt = Date.now();
  const quorum = quorumFor(run.manifest.approvals, validation.riskLevel);
  return {
    requestKey: requestKeyIn(checked.requestKey, workflowInfo().runId),
    runId: run.id,
    call: key,
    tool: tool.name,
    ...(tool.label !== undefined && { label: tool.label }),
    riskLevel: validation.riskLevel,
    args,
    argsDigest: validation.argsDigest,
    schemaDigest: validation.schemaDigest,
    paths: guard.paths,
    ...(preview && { preview }),
    modelText,
    requestedAt,
    expiresAt: requestedAt + run.manifest.approvalTimeoutMs,
    grantable,
    ...(quorum > 1 && { quorum }),
  };
}

type Approved = Extract<Ruling, { kind: 'approved' }>;

/** The call with what its approvers allowed; after an edit its arguments and verdicts are those of the edit. */
function authorized(checked: CheckedCall, { request, decidedAs }: Approved): AuthorizedCall {
  const { edited, approvals = [] } = request;
  const last = approvals.at(-1);
  // The gate approves only what somebody approved.
  if (!last) throw new TypeError('An approved request lacks its approvals.');
  const basis = basisToHold(request);
  const authorization = {
    kind: 'decision',
    requestKey: edited?.validation.requestKey ?? decidedAs,
    decisionId: last.decisionId,
    approver: last.approver,
    approvals,
    decision: edited ? 'edit' : 'approve',
    argsDigest: request.argsDigest,
    riskLevel: request.riskLevel,
    ...(basis !== undefined && { basis }),
  } as const;
  if (!edited) return { ...checked, authorization };
  const { validation, guard } = edited;
  return {
    ...checked,
    requestKey: validation.requestKey,
    args: request.args,
    validation,
    guard,
    authorization,
  };
}
