import { approversOf, quorumFor } from '../policy/approver-rights.js';
import { isFree } from '../policy/risk.js';
import type { HostedAgent } from '../registry/hosted-agent.js';
import { duration } from './duration.js';
import { printableLine } from './printable.js';

/** An agent's rules on who may decide, as they stand for each tool that asks (`hitl:authz`, `hitl:quorum`). */
export interface ToolPolicy {
  readonly tool: string;
  readonly riskLevel: string;
  /** Absent: whoever signs with a trusted key. */
  readonly approvers?: readonly string[];
  readonly quorum: number;
  /** Only an approver's own key counts. */
  readonly held: boolean;
}

export function policyOf({ agent, surface }: HostedAgent): readonly ToolPolicy[] {
  const { approvals, requireApprovalFor } = agent;
  return surface
    .filter(({ name, riskLevel }) => !isFree(riskLevel) || requireApprovalFor.includes(name))
    .map(({ name, riskLevel }) => ({
      tool: name,
      riskLevel,
      ...(approvals.rules && { approvers: approversOf(approvals, name, riskLevel) ?? [] }),
      quorum: quorumFor(approvals, riskLevel),
      held: approvals.heldSignatureFor?.includes(riskLevel) ?? false,
    }));
}

/** The same as rows for `columns`, under a heading. */
export function policyRows(host: HostedAgent): readonly (readonly string[])[] {
  const { approvals, approvalTimeoutMs } = host.agent;
  const tools = policyOf(host);
  if (tools.length === 0) return [['No tool asks.']];
  return [
    ['tool', 'risk', 'who may decide', 'approvals', 'signed by'],
    ...tools.map(({ tool, riskLevel, approvers, quorum, held }) => [
      tool,
      riskLevel,
      approvers ? printableLine(approvers.join(', '), 200) : 'whoever signs with a trusted key',
      String(quorum),
      held ? 'their own key' : 'their own key, or a server for them',
    ]),
    [`A request expires after ${duration(approvalTimeoutMs)}.`],
    ...(approvals.requesterMayNotApprove ? [['Whoever starts a run may not decide in it.']] : []),
  ];
}
