import type { ValidateApprovalInput } from '../src/contract/activities.js';
import type { ApprovalRequest, Decision, DecisionVerdict } from '../src/contract/decision.js';
import type { Refusal } from '../src/policy/decision-admission.js';
import { isGrantable } from '../src/policy/risk.js';
import type { HostedAgent } from '../src/registry/hosted-agent.js';
import { parseArguments } from '../src/registry/parse-arguments.js';
import { judgeGuard } from './guard-paths.js';
import { judgeArguments } from './validate-tool-call.js';

const INEXACT =
  'The edited arguments hold an integer that may not be the one that was sent: send it as a string.';
export const ASKS_ALWAYS: Refusal = {
  code: 'grant_not_allowed',
  text: 'This tool asks every time. Decide with scope once.',
};

/** Judges an edit as a call is judged: strict JSON, schema, risk level, guard (`hitl:revalidated`). */
export async function judgeEdit(
  { registry, workspace }: Pick<HostedAgent, 'registry' | 'workspace'>,
  input: ValidateApprovalInput,
  request: ApprovalRequest,
  decision: Decision,
): Promise<(Extract<DecisionVerdict, { accepted: true }>['edited'] & object) | Refusal> {
  const { requestKey } = request;
  const { args = {} } = decision;
  const recorded = input.tools.find((tool) => tool.name === request.tool);
  if (!recorded)
    return { code: 'edit_invalid', text: 'The tool of this request is not recorded in the run.' };
  const parsed = parseArguments(JSON.stringify(args));
  if (!parsed.ok) return { code: 'edit_invalid', text: parsed.text };
  if (holdsInexactInteger(args)) return { code: 'edit_invalid', text: INEXACT };
  const verdict = judgeArguments({ registry, recorded, requestKey, args, salt: input.salt });
  if (!verdict.valid) return { code: 'edit_invalid', text: verdict.text };
  const { args: _same, ...validation } = verdict;
  const { argsDigest, riskLevel } = validation;
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
  return { validation, guard };
}

/** JSON.parse has rounded such a number before anybody could look (`schema:strict-json`). */
function holdsInexactInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsInexactInteger);
}
