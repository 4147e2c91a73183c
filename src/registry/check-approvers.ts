import { HoldfastError } from '../contract/error-codes.js';
import type { ManifestTool } from '../contract/manifest.js';
import { approversOf, nextApprovers, quorumFor } from '../policy/approver-rights.js';
import { autoDenialOf } from '../policy/auto-deny.js';
import { isFree } from '../policy/risk.js';
import { personOf } from '../policy/same-person.js';
import type { Agent } from './define-agent.js';
import { checkNames } from './surface.js';

/**
 * Throws HoldfastError when the policy of an agent can never let one of its tools run: `unknown_tool_name` for a rule
 * about a tool that none is named, `invalid_agent` for a tool that asks and has too few approvers (`hitl:authz`,
 * `hitl:quorum`), or nobody to escalate to who may decide (`hitl:escalate`). It is better refused here than after a person has waited for it.
 *
 * @param known names of tools that exist.
 */
export function checkApprovers(
  { name, approvals, requireApprovalFor }: Agent,
  surface: readonly Pick<ManifestTool, 'name' | 'riskLevel'>[],
  known: readonly string[],
): void {
  const { rules = [], autoDeny = [] } = approvals;
  checkNames(
    [...rules, ...autoDeny].flatMap(({ tools = [] }) => tools),
    known,
  );
  if (!approvals.rules) return;
  for (const tool of asking({ approvals, requireApprovalFor }, surface)) {
    if (approvals.escalateTo && nextApprovers(approvals, tool.name, tool.riskLevel).length === 0) {
      const text = `${name}: approvals.escalateTo names nobody who may decide about ${tool.name} (${tool.riskLevel}). Add one of its approvers.`;
      throw new HoldfastError('invalid_agent', text);
    }
  }
  const lacking = lackingApprovers({ approvals, requireApprovalFor }, surface);
  if (lacking === undefined) return;
  const text = `${name}: approvals leaves ${lacking}. Add a rule, or exclude the tool.`;
  throw new HoldfastError('invalid_agent', text);
}

type Rules = Pick<Agent, 'approvals' | 'requireApprovalFor'>;
type Judged = Pick<ManifestTool, 'name' | 'riskLevel'>;

/**
 * The first tool that could never be approved, in words: it asks, and has too few approvers. Undefined when none is so.
 *
 * @param without who may not decide: whoever starts the run.
 */
export function lackingApprovers(
  policy: Rules,
  surface: readonly Judged[],
  without?: string,
): string | undefined {
  const { approvals } = policy;
  for (const { name, riskLevel } of asking(policy, surface)) {
    const approvers = approversOf(approvals, name, riskLevel);
    if (!approvers) return undefined;
    const people = new Set(approvers.map(personOf));
    if (without !== undefined) people.delete(personOf(without));
    const found = people.size;
    const needed = quorumFor(approvals, riskLevel);
    if (found < needed) return `${name} (${riskLevel}) ${count(found)}, and it needs ${needed}`;
  }
  return undefined;
}

/** Tools about which a person is asked. */
function asking({ approvals, requireApprovalFor }: Rules, surface: readonly Judged[]): readonly Judged[] {
  return surface.filter(
    ({ name, riskLevel }) =>
      (!isFree(riskLevel) || requireApprovalFor.includes(name)) && !autoDenialOf(approvals, name, riskLevel),
  );
}

function count(approvers: number): string {
  if (approvers === 0) return 'without an approver';
  return approvers === 1 ? 'one approver' : `${approvers} approvers`;
}
