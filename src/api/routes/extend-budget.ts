import type { BudgetExtension } from '../../contract/control.js';
import { LIMITS } from '../../contract/limits.js';
import { askControl, CONTROL_ANSWERS, CONTROL_REFUSALS } from '../ask-control.js';
import { route } from '../route.js';
import { RUN_PARAMS, type RunParams } from '../run-address.js';

const AMOUNT = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;

/** Every budget that can be extended; the compiler holds it complete. */
const BUDGETS: Readonly<Record<Exclude<keyof BudgetExtension, 'maxErrorsPerTool'>, typeof AMOUNT>> = {
  maxErrors: AMOUNT,
  maxConsecutiveErrors: AMOUNT,
  maxConsecutiveDenials: AMOUNT,
  maxTurns: AMOUNT,
  maxTokens: AMOUNT,
  maxWallClockMs: AMOUNT,
};

export const extendBudgetRoute = route<RunParams, unknown, BudgetExtension>({
  method: 'POST',
  path: '/runs/:id/budget',
  operationId: 'extendBudget',
  summary: 'Add to budgets of a run, also of one that waits because a budget is used up.',
  roles: ['operator'],
  params: RUN_PARAMS,
  body: {
    name: 'BudgetExtension',
    fault: 'malformed_control',
    schema: {
      type: 'object',
      minProperties: 1,
      properties: {
        ...BUDGETS,
        maxErrorsPerTool: {
          type: 'object',
          minProperties: 1,
          maxProperties: LIMITS.extendedBudgets,
          additionalProperties: AMOUNT,
        },
      },
      additionalProperties: false,
    },
  },
  answers: CONTROL_ANSWERS,
  refusals: CONTROL_REFUSALS,
  handle: ({ params: { id }, body, principal }, deps) =>
    askControl(id, deps, (client) => client.extendBudget(id, body, principal.name)),
});
