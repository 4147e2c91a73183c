import type { ApprovalPolicy } from '../contract/approval-policy.js';
import { approversOf, nextApprovers, quorumFor } from '../policy/approver-rights.js';
import { autoDenialOf } from '../policy/auto-deny.js';
import { isFree } from '../policy/risk.js';
import type { HostedAgent } from '../registry/hosted-agent.js';
import { duration } from './duration.js';
import { inWhole } from './request-rows.js';
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
  /** Present and true when calls are denied without asking anybody. */
  readonly denied?: true;
  /** Whom an undecided request is announced to next (`hitl:escalate`). */
  readonly next?: readonly string[];
}

export function policyOf({ agent, surface }: HostedAgent): readonly ToolPolicy[] {
  const { approvals, requireApprovalFor } = agent;
  return surface
    .filter(
      ({ name, riskLevel }) =>
        !isFree(riskLevel) || requireApprovalFor.includes(name) || autoDenialOf(approvals, name, riskLevel),
    )
    .map(({ name, riskLevel }) => {
      const approvers = approversOf(approvals, name, riskLevel);
      return {
        tool: name,
        riskLevel,
        ...(approvers && { approvers }),
        quorum: quorumFor(approvals, riskLevel),
        held: approvals.heldSignatureFor?.includes(riskLevel) ?? false,
        ...(autoDenialOf(approvals, name, riskLevel) && { denied: true }),
        ...(approvals.escalateTo && { next: nextApprovers(approvals, name, riskLevel) }),
      };
    });
}

/** The same as rows for `columns`, under a heading. */
export function policyRows(host: HostedAgent): readonly (readonly string[])[] {
  const { approvals, approvalTimeoutMs } = host.agent;
  const tools = policyOf(host);
  if (tools.length === 0) return [['No tool asks.']];
  return [
    ['tool', 'risk', 'who may decide', 'approvals', 'signed by'],
    ...tools.map(({ tool, riskLevel, approvers, quorum, held, denied }) =>
      denied
        ? [tool, riskLevel, 'nobody: denied by policy']
        : [
            tool,
            riskLevel,
            approvers ? printableLine(approvers.join(', '), 200) : 'whoever signs with a trusted key',
            String(quorum),
            held ? 'their own key' : 'their own key, or a server for them',
          ],
    ),
    [`A request expires after ${spell(approvalTimeoutMs)}.`],
    ...escalationRows(approvals, tools),
    ...(approvals.requesterMayNotApprove ? [['Whoever starts a run may not decide in it.']] : []),
  ];
}

function escalationRows(
  { escalateAfterMs }: ApprovalPolicy,
  tools: readonly ToolPolicy[],
): readonly (readonly string[])[] {
  if (escalateAfterMs === undefined) return [];
  const next = [...new Set(tools.flatMap((tool) => (tool.denied ? [] : (tool.next ?? []))))];
  const whom = printableLine(next.join(', '), 200);
  return [[`One that nobody decided is announced again after ${spell(escalateAfterMs)}, to ${whom}.`]];
}

function spell(ms: number): string {
  return ms < 60_000 ? duration(ms) : inWhole(Math.floor(ms / 60_000));
}
