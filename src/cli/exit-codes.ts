import type { ErrorDoor } from '../contract/error-codes.js';
import { ERROR_CODES, type ErrorCode } from '../contract/error-codes.js';

/** The one table of exit codes, for every command. README is compared with it; a number is never reused. */
export const EXIT_CODES = {
  ok: { number: 0, meaning: 'Done.' },
  failed: { number: 1, meaning: 'A defect of Holdfast, or a fault that has no number of its own.' },
  usage: { number: 2, meaning: 'A bad option, value or setting; nothing was started.' },
  not_done: { number: 3, meaning: 'The run ended without being done: it failed, or a budget was used up.' },
  environment: {
    number: 4,
    meaning: 'Something that Holdfast needs is missing; `holdfast doctor` says what.',
  },
  cancelled: { number: 130, meaning: 'The run was cancelled, or the command interrupted.' },
} as const;

export type Exit = keyof typeof EXIT_CODES;

const BY_DOOR: Readonly<Record<ErrorDoor, Exit>> = {
  call: 'failed',
  decision: 'failed',
  start: 'usage',
  run: 'not_done',
  environment: 'environment',
};

/** How a command ends that an error of this code ended. */
export function exitFor(code: ErrorCode): Exit {
  if (code === 'invalid_config') return 'usage';
  return code === 'internal_error' ? 'failed' : BY_DOOR[ERROR_CODES[code].door];
}
