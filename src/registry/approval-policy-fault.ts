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
    autoDeny: {
      type: 'array',
      maxItems: 1000,
      items: {
        type: 'object',
        properties: {
          tools: { ...NAMES, minItems: 1 },
          riskLevels: { ...LEVELS, minItems: 1 },
          reason: { type: 'string', minLength: 1, maxLength: 1000 },
        },
        additionalProperties: false,
      },
    },
    escalateAfterMs: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    escalateTo: {
      type: 'object',
      properties: { approvers: NAMES, groups: NAMES },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
});

type Fault = { readonly field: string; readonly rule: string };

/** What is wrong with an agent's `approvals`, and where, or undefined. */
export function approvalPolicyFault(policy: unknown, approvalTimeoutMs: number): Fault | undefined {
  const shape = fault(policy);
  if (shape !== undefined)
    return { field: 'approvals', rule: `does not fit. ${shape.text.replace(/\.$/, '')}` };
  if (!isPolicy(policy)) return undefined;
  return unknownGroup(policy) ?? denialFault(policy) ?? escalationFault(policy, approvalTimeoutMs);
}

/** By its schema, which was asked. */
function isPolicy(value: unknown): value is ApprovalPolicy {
  return isJsonObject(value);
}

function unknownGroup({ rules = [], groups = {}, escalateTo = {} }: ApprovalPolicy): Fault | undefined {
  const named = [
    ...rules.map((rule, index) => [`approvals.rules[${index}]`, rule] as const),
    ['approvals.escalateTo', escalateTo] as const,
  ];
  for (const [field, names] of named) {
    const unknown = names.groups?.find((group) => !Object.hasOwn(groups, group));
    if (unknown !== undefined) return { field, rule: `names the group ${unknown}, which groups lacks` };
  }
  return undefined;
}

function denialFault({ autoDeny = [] }: ApprovalPolicy): Fault | undefined {
  const every = autoDeny.findIndex(({ tools, riskLevels }) => !tools && !riskLevels);
  if (every < 0) return undefined;
  return { field: `approvals.autoDeny[${every}]`, rule: 'would deny every call: name tools or riskLevels' };
}

function escalationFault(
  { escalateAfterMs, escalateTo, groups = {} }: ApprovalPolicy,
  approvalTimeoutMs: number,
): Fault | undefined {
  if ((escalateAfterMs === undefined) !== (escalateTo === undefined)) {
    return { field: 'approvals', rule: 'has escalateAfterMs and escalateTo together or neither' };
  }
  if (escalateAfterMs === undefined || escalateTo === undefined) return undefined;
  if (escalateAfterMs >= approvalTimeoutMs) {
    const rule = 'must be shorter than approvalTimeoutMs, when a request expires';
    return { field: 'approvals.escalateAfterMs', rule };
  }
  const { approvers = [], groups: named = [] } = escalateTo;
  const someone = approvers.length > 0 || named.some((group) => (groups[group] ?? []).length > 0);
  return someone ? undefined : { field: 'approvals.escalateTo', rule: 'names nobody' };
}
