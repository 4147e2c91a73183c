import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { DecisionAnswer } from './contract/decision.js';
import { codeOfType, ERROR_CODES, type DecisionErrorCode, type ErrorCode } from './contract/error-codes.js';

const ENDED = 'The run has ended. Start another one.';
const UNKNOWN = 'The server keeps no run of this id. Look at the id and the namespace.';

/** In words, that the run ended before it could answer, or that there is none; undefined for another error. */
export function closedText(error: unknown): string | undefined {
  if (failureOf(error)?.type === 'AcceptedUpdateCompletedWorkflow') return ENDED;
  if (!(error instanceof WorkflowNotFoundError)) return undefined;
  // The server has one code for both, and tells them apart in words.
  return error.message.includes('already completed') ? ENDED : UNKNOWN;
}

/** Whether the server gave an update up before the run saw it. */
export function isUnprocessed(error: unknown): boolean {
  return failureOf(error)?.type === 'UnprocessedUpdate';
}

function failureOf(error: unknown): ApplicationFailure | undefined {
  if (!(error instanceof WorkflowUpdateFailedError)) return undefined;
  return error.cause instanceof ApplicationFailure ? error.cause : undefined;
}

/** What became of a decision whose update failed. Throws the error when it says nothing of the decision. */
export function refusalOf(error: unknown): DecisionAnswer {
  const closed = closedText(error);
  if (closed !== undefined) return { counted: false, code: 'run_closed', text: closed };
  const failure = failureOf(error);
  const code = codeOfType(failure?.type);
  if (!failure || !isDecisionCode(code)) throw error;
  return { counted: false, code, text: failure.message };
}

/** Only such a code refuses a decision: with another the update has failed. */
function isDecisionCode(code: ErrorCode | undefined): code is DecisionErrorCode {
  if (code === undefined) return false;
  return ERROR_CODES[code].door === 'decision' || code === 'cwd_not_permitted';
}
