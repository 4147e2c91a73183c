import type { ValidateApprovalInput } from '../src/contract/activities.js';
import type { ApprovalRequest, Decision, EditVerdicts } from '../src/contract/decision.js';
import type { JsonObject } from '../src/contract/json.js';
import type { ManifestTool } from '../src/contract/manifest.js';
import type { ShownPreview } from '../src/contract/preview.js';
import type { RiskLevel } from '../src/contract/tool.js';
import type { Refusal } from '../src/policy/decision-admission.js';
import { autoDenialOf } from '../src/policy/auto-deny.js';
import { basisOf } from '../src/policy/preview-basis.js';
import { isGrantable } from '../src/policy/risk.js';
import type { HostedAgent } from '../src/registry/hosted-agent.js';
import { parseArguments } from '../src/registry/parse-arguments.js';
import { judgeGuard } from './guard-paths.js';
import { judgePreview } from './preview-tool-call.js';
import { judgeArguments } from './validate-tool-call.js';

const INEXACT =
  'The edited arguments hold an integer that may not be the one that was sent: send it as a string.';
export const ASKS_ALWAYS: Refusal = {
  code: 'grant_not_allowed',
  text: 'This tool asks every time. Decide with scope once.',
};

const DENIED: Refusal = {
  code: 'not_authorized',
  text: 'The policy of the agent denies calls of this tool by now. Deny the request.',
};

export interface JudgedEdit {
  readonly edited: EditVerdicts;
  /** For the next approvers, when more are needed. */
  readonly preview?: ShownPreview;
}

/** Judges an edit as a call is judged: strict JSON, schema, risk level, guard (`hitl:revalidated`). */
export async function judgeEdit(
  { registry, workspace }: Pick<HostedAgent, 'registry' | 'workspace'>,
  input: ValidateApprovalInput,
  request: ApprovalRequest,
  decision: Decision,
): Promise<JudgedEdit | Refusal> {
  const { requestKey } = request;
  const { args = {} } = decision;
  const recorded = input.tools.find((tool) => tool.name === request.tool);
  if (!recorded)
    return { code: 'edit_invalid', text: 'The tool of this request is not recorded in the run.' };
  const parsed = parseArguments(JSON.stringify(args));
  if (!parsed.ok) return { code: 'edit_invalid', text: parsed.text };
  if (holdsInexactInteger(args)) return { code: 'edit_invalid', text: INEXACT };
  const verdict = judgeArguments({ registry, recorded, requestKey, args, salt: input.salt });
  if (!verdict.valid) {
    const { text, at } = verdict;
    return { code: 'edit_invalid', text, ...(at !== undefined && { at }) };
  }
  const { args: _same, ...validation } = verdict;
  const { argsDigest, riskLevel } = validation;
  // The level may be another than when it was asked.
  if (autoDenialOf(input.approvals, recorded.name, riskLevel)) return DENIED;
  if (decision.scope === 'run' && !isGrantable(riskLevel)) return ASKS_ALWAYS;
  const guard = await judgeGuard(workspace, {
    requestKey,
    pathArgs: recorded.pathArgs,
    riskLevel,
    protectedPaths: input.protectedPaths,
    args,
    argsDigest,
  });
  if (!guard.allowed) return { code: 'edit_refused', text: guard.text };
  const after = await previewOf({ registry, workspace }, input, request, { recorded, riskLevel, args });
  const basis = basisOf(after);
  return {
    edited: { validation, guard, ...(basis !== undefined && { basis }) },
    ...(after && (request.quorum ?? 1) > 1 && { preview: after }),
  };
}

/** No preview may name nothing, so that an execution which compares with it runs nothing. */
const CHANGED_BEFORE: ShownPreview = {
  kind: 'text',
  text: 'What was shown has changed since, so that nothing of the edit will run.',
  basis: '',
};

/**
 * What the execution of edited arguments rests on (`hitl:preview`). What the person saw was about the arguments
 * before the edit: when that no longer holds, the edit was made by something that has changed. A preview of the
 * edited arguments that fails gives nothing to compare with, as one that failed before the person was asked.
 */
async function previewOf(
  host: Pick<HostedAgent, 'registry' | 'workspace'>,
  { protectedPaths }: ValidateApprovalInput,
  { preview: shown, tool, args: before, riskLevel }: ApprovalRequest,
  edited: { readonly recorded: ManifestTool; readonly riskLevel: RiskLevel; readonly args: JsonObject },
): Promise<ShownPreview | undefined> {
  if (shown === undefined || shown.kind === 'failed') return undefined;
  const { pathArgs } = edited.recorded;
  const now = await judgePreview(host, { tool, pathArgs, protectedPaths, args: before, riskLevel });
  if (basisOf(now) !== shown.basis) return CHANGED_BEFORE;
  return judgePreview(host, { tool, pathArgs, protectedPaths, ...edited });
}

/** Whoever signed may have parsed it before, and rounded what a person wrote (`schema:strict-json`). */
function holdsInexactInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsInexactInteger);
}
