import { isJsonObject } from '../contract/json.js';
import { protectedGlobFault } from '../workspace/protected-glob.js';
import { approvalPolicyFault } from './approval-policy-fault.js';
import { budgetFault } from './budget-fault.js';
import type { Agent } from './define-agent.js';

/** The longest that a timer of Node can wait, milliseconds: one for longer fires at once. */
const MOST_TIMER_MS = 2 ** 31 - 1;
const LIST = 'must be a list of names of tools';

/** What is wrong with a field's value, in words for its author; undefined when nothing is. */
type Judge = (value: unknown) => string | undefined;

/**
 * What each field must be, defaults filled in. The compiler holds it complete. A module may be JavaScript, and a
 * value of another type would silently mean more than was written: the text `false` is true.
 */
const FIELDS: Record<keyof Agent, Judge> = {
  name: must('match ^[A-Za-z0-9_-]{1,64}$', isAgentName),
  version: must('be a string', isText),
  instructions: must('be a string', isText),
  model: must('be a Model, with an id and generate', isModel),
  workspace: must('name a directory', (workspace) => isText(workspace) && workspace !== ''),
  tools: optional(namesFault),
  excludeTools: optional(namesFault),
  noTools: optional(must('be all or builtin', (value) => value === 'all' || value === 'builtin')),
  requireApprovalFor: namesFault,
  approvals: must('be an object', isJsonObject),
  protectedPaths: must('be a list of globs', Array.isArray),
  customTools: must('be a list of what defineTool gives', Array.isArray),
  enableWriteTools: must('be true or false', isFlag),
  budgets: must('be an object', isJsonObject),
  approvalTimeoutMs: must('be a whole number from 1', isCount),
  modelTimeoutMs: must(
    `be a whole number from 1 to ${MOST_TIMER_MS}`,
    (value) => isCount(value) && value <= MOST_TIMER_MS,
  ),
  modelMaxAttempts: must('be a whole number from 1', isCount),
  maxParallelCalls: must('be a whole number from 1', isCount),
  continueAfterEvents: must('be a whole number from 1', isCount),
  keepWholeOutputs: must('be true or false', isFlag),
};

/** Names of all fields that a definition may have. */
export const AGENT_FIELDS: readonly string[] = Object.keys(FIELDS);

/** The first field of a definition that is wrong, with what it must be; undefined when all is well. */
export function agentFault(agent: Agent): string | undefined {
  for (const [field, judge] of Object.entries(FIELDS)) {
    const fault = judge(Object.entries(agent).find(([name]) => name === field)?.[1]);
    if (fault !== undefined) return `${field} ${fault}`;
  }
  const budget = budgetFault(agent.budgets);
  if (budget) return `budgets.${budget.field} ${budget.rule}`;
  const policy = approvalPolicyFault(agent.approvals, agent.approvalTimeoutMs);
  if (policy) return `${policy.field} ${policy.rule}`;
  const globs = agent.protectedPaths.map((glob, index) => [index, protectedGlobFault(glob)] as const);
  const wrong = globs.find(([, fault]) => fault !== undefined);
  return wrong && `protectedPaths[${wrong[0]}] ${wrong[1]}`;
}

export function isAgentName(value: unknown): value is string {
  return isText(value) && /^[A-Za-z0-9_-]{1,64}$/.test(value);
}

function must(rule: string, holds: (value: unknown) => boolean): Judge {
  return (value) => (holds(value) ? undefined : `must ${rule}`);
}

function optional(judge: Judge): Judge {
  return (value) => (value === undefined ? undefined : judge(value));
}

function namesFault(value: unknown): string | undefined {
  return Array.isArray(value) && value.every(isText) ? undefined : LIST;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

function isModel(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    isText(value.id) &&
    typeof (value as { generate?: unknown }).generate === 'function'
  );
}
