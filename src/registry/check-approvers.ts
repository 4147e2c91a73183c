import { HoldfastError } from '../contract/error-codes.js';
import type { ManifestTool } from '../contract/manifest.js';
import { approversOf, nextApprovers, quorumFor } from '../policy/approver-rights.js';
import { autoDenialOf } from '../policy/auto-deny.js';
import { isFree } from '../policy/risk.js';
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
  for (const tool of surface) {
    if (isFree(tool.riskLevel) && !requireApprovalFor.includes(tool.name)) continue;
    if (autoDenialOf(approvals, tool.name, tool.riskLevel)) continue;
    if (approvals.escalateTo && nextApprovers(approvals, tool.name, tool.riskLevel).length === 0) {
      const text = `${name}: approvals.escalateTo names nobody who may decide about ${tool.name} (${tool.riskLevel}). Add one of its approvers.`;
      throw new HoldfastError('invalid_agent', text);
    }
    const found = approversOf(approvals, tool.name, tool.riskLevel)?.length ?? 0;
    const needed = quorumFor(approvals, tool.riskLevel);
    if (found >= needed) continue;
    const text = `${name}: approvals leaves ${tool.name} (${tool.riskLevel}) ${count(found)}, and it needs ${needed}. Add a rule, or exclude the tool.`;
    throw new HoldfastError('invalid_agent', text);
  }
}

function count(approvers: number): string {
  if (approvers === 0) return 'without an approver';
  return approvers === 1 ? 'one approver' : `${approvers} approvers`;
}
