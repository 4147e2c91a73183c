import type { RiskLevel } from '../contract/tool.js';

/** Whether a rule of a policy is about a tool of this level: what a rule omits fits any. */
export function ruleFits(
  rule: { readonly tools?: readonly string[]; readonly riskLevels?: readonly RiskLevel[] },
  tool: string,
  riskLevel: RiskLevel,
): boolean {
  return (rule.tools?.includes(tool) ?? true) && (rule.riskLevels?.includes(riskLevel) ?? true);
}
