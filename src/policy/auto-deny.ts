import type { ApprovalPolicy, AutoDenyRule } from '../contract/approval-policy.js';
import type { RiskLevel } from '../contract/tool.js';
import { ruleFits } from './rule-fits.js';

/** The first rule by which a policy denies calls of a tool without asking; undefined when none does. */
export function autoDenialOf(
  { autoDeny = [] }: ApprovalPolicy,
  tool: string,
  riskLevel: RiskLevel,
): AutoDenyRule | undefined {
  return autoDeny.find((rule) => ruleFits(rule, tool, riskLevel));
}
