import type { BudgetExtension, Control } from '../contract/control.js';
import { isJsonObject, jsonBytes } from '../contract/json.js';
import { LIMITS } from '../contract/limits.js';

const ACTIONS = 'action must be pause, resume, message, revoke or extendBudget.';

/** Why a control is not even looked at, or undefined: an accepted one is repeated in the history (`run:payloads`). */
export function controlTooLarge(payload: unknown): string | undefined {
  if (payload === undefined || jsonBytes(payload) <= LIMITS.controlBytes) return undefined;
  return `A control has at most ${String(LIMITS.controlBytes)} bytes of JSON. Shorten it.`;
}

/** A control as it arrived, or what is wrong with it. Untrusted, so nothing but the named members is taken. */
export function readControl(payload: unknown): Control | { readonly fault: string } {
  if (!isJsonObject(payload)) return { fault: 'This is no control. Send a JSON object with action and by.' };
  const { action, by, text, tool, add } = payload;
  if (typeof by !== 'string' || by === '' || by.length > 256) {
    return { fault: 'by must name who asks for it, in at most 256 characters.' };
  }
  if (typeof action !== 'string') return { fault: ACTIONS };
  switch (action) {
    case 'pause':
    case 'resume':
      return { action, by };
    case 'message':
      if (typeof text !== 'string' || text.trim() === '') return { fault: 'text must not be empty.' };
      if (jsonBytes(text) > LIMITS.messageBytes) {
        return {
          fault: `text has at most ${String(LIMITS.messageBytes)} bytes of JSON. Put the rest in a file.`,
        };
      }
      return { action, by, text };
    case 'revoke':
      if (typeof tool !== 'string') return { fault: 'tool must name the tool whose grant ends.' };
      return { action, by, tool };
    case 'extendBudget':
      return isExtension(add) ? { action, by, add } : { fault: EXTENSION };
    default:
      return { fault: ACTIONS };
  }
}

/** What an operator may add to; the compiler holds it complete. */
const EXTENDABLE: Record<Exclude<keyof BudgetExtension, 'maxErrorsPerTool'>, true> = {
  maxErrors: true,
  maxConsecutiveErrors: true,
  maxConsecutiveDenials: true,
  maxTurns: true,
  maxTokens: true,
  maxWallClockMs: true,
};

const EXTENSION =
  'add must hold what to add, a whole number from 1 each: ' +
  `${Object.keys(EXTENDABLE).join(', ')}, or maxErrorsPerTool by tool.`;

function isExtension(add: unknown): add is BudgetExtension {
  if (!isJsonObject(add)) return false;
  const { maxErrorsPerTool, ...numbers } = add;
  if (Object.keys(numbers).some((name) => !Object.hasOwn(EXTENDABLE, name))) return false;
  if (maxErrorsPerTool !== undefined && !isJsonObject(maxErrorsPerTool)) return false;
  const amounts = [...Object.values(numbers), ...Object.values(maxErrorsPerTool ?? {})];
  return amounts.length > 0 && amounts.length <= LIMITS.extendedBudgets && amounts.every(isAmount);
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}
