import type { ErrorDoor } from '../contract/error-codes.js';
import { ERROR_CODES, type ErrorCode } from '../contract/error-codes.js';

/** The one table of exit codes, for every command. README is compared with it; a number is never reused. */
export const EXIT_CODES = {
  ok: { number: 0, meaning: 'Done.' },
  failed: { number: 1, meaning: 'A defect of Holdfast, or a fault that has no number of its own.' },
  usage: { number: 2, meaning: 'A bad option, value, setting or definition; nothing ran.' },
  not_done: { number: 3, meaning: 'The run ended without being done: it failed, or a budget was used up.' },
  environment: {
    number: 4,
    meaning: 'A server, a worker or something else is missing; `holdfast doctor` says what is.',
  },
  refused: { number: 5, meaning: 'What was sent to a run was refused and changed nothing.' },
  not_found: {
    number: 6,
    meaning: 'No such run, or nothing waits there by this name: unknown, decided, expired, withdrawn.',
  },
  undecided: { number: 7, meaning: 'A person was asked at the terminal and said no; nothing was decided.' },
  cancelled: { number: 130, meaning: 'The run was cancelled, or the command interrupted.' },
} as const;

export type Exit = keyof typeof EXIT_CODES;

const BY_DOOR: Readonly<Record<ErrorDoor, Exit>> = {
  call: 'failed',
  decision: 'refused',
  control: 'refused',
  start: 'usage',
  run: 'not_done',
  environment: 'environment',
  http: 'refused',
};

const OTHERWISE: Partial<Record<ErrorCode, Exit>> = {
  invalid_config: 'usage',
  internal_error: 'failed',
  unknown_run: 'not_found',
  run_closed: 'not_found',
  unknown_request: 'not_found',
  request_decided: 'not_found',
  request_expired: 'not_found',
  request_withdrawn: 'not_found',
};

/** How a command ends that an error of this code ended. */
export function exitFor(code: ErrorCode): Exit {
  return OTHERWISE[code] ?? BY_DOOR[ERROR_CODES[code].door];
}
