import type { ApprovalPolicy } from '../contract/approval-policy.js';
import { isJsonObject } from '../contract/json.js';
import { RISK_LEVELS } from '../contract/tool.js';
import { compileSchema } from './schema-validator.js';

const NAMES = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 256 }, maxItems: 1000 };
const LEVELS = { type: 'array', items: { enum: RISK_LEVELS } };

const fault = compileSchema({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    groups: { type: 'object', additionalProperties: NAMES },
    rules: {
      type: 'array',
      items: {
        type: 'object',
        properties: { tools: NAMES, riskLevels: LEVELS, approvers: NAMES, groups: NAMES },
        additionalProperties: false,
      },
    },
    quorum: {
      type: 'object',
      propertyNames: { enum: RISK_LEVELS },
      additionalProperties: { type: 'integer', minimum: 1, maximum: 100 },
    },
    requesterMayNotApprove: { type: 'boolean' },
    heldSignatureFor: LEVELS,
  },
  additionalProperties: false,
});

/** What is wrong with an agent's `approvals`, and where, or undefined. */
export function approvalPolicyFault(
  policy: unknown,
): { readonly field: string; readonly rule: string } | undefined {
  const shape = fault(policy);
  if (shape !== undefined) return { field: 'approvals', rule: `does not fit. ${shape.replace(/\.$/, '')}` };
  return isPolicy(policy) ? unknownGroup(policy) : undefined;
}

/** By its schema, which was asked. */
function isPolicy(value: unknown): value is ApprovalPolicy {
  return isJsonObject(value);
}

function unknownGroup({ rules = [], groups = {} }: ApprovalPolicy): ReturnType<typeof approvalPolicyFault> {
  for (const [index, rule] of rules.entries()) {
    const unknown = rule.groups?.find((group) => !Object.hasOwn(groups, group));
    if (unknown !== undefined) {
      return { field: `approvals.rules[${index}]`, rule: `names the group ${unknown}, which groups lacks` };
    }
  }
  return undefined;
}
