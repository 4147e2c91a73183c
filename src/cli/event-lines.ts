import { ERROR_CODES } from '../contract/error-codes.js';
import type { EventCall, RunEvent } from '../contract/events.js';
import { duration } from './duration.js';
import { printableLine } from './printable.js';
import type { Colors } from './terminal.js';

type EndEvent = Extract<RunEvent, { type: 'run_end' }>;

/**
 * What a person who follows a run sees of an event: at most one line, of 80 columns at most for ordinary names.
 * Empty for what other events tell as well.
 */
export function eventLine(event: RunEvent, colors: Colors): string | undefined {
  const { dim, yellow } = colors;
  switch (event.type) {
    case 'run_start':
    case 'run_prepared':
    case 'turn_start':
    case 'turn_end':
    case 'tool_checked':
    case 'tool_execution_start':
    case 'run_end':
      return undefined;
    case 'run_continued':
      return dim(`    continued as new, execution ${String(event.continuation + 1)}`);
    case 'run_paused':
      return `    paused by ${printableLine(event.by, 32)}`;
    case 'run_resumed':
      return `    resumed by ${printableLine(event.by, 32)}`;
    case 'run_message':
      return `    a message of ${String(event.textBytes)} bytes by ${printableLine(event.by, 32)}`;
    case 'model_answered':
      return `${dim(String(event.turn + 1).padStart(2))}  ${answered(event)}`;
    case 'approval_requested':
      return callLine(event, `asks  ${yellow(event.riskLevel)}`, colors);
    case 'approval_decided':
      return callLine(event, decided(event), colors);
    case 'approval_refused': {
      const text = yellow(`a decision by ${event.via} was refused: ${event.code}`);
      return event.call ? callLine(event.call, text, colors) : `    ${text}`;
    }
    case 'approval_expired':
      return callLine(event, yellow('nobody decided in time'), colors);
    case 'approval_withdrawn':
      return callLine(event, dim('is asked no more'), colors);
    case 'tool_execution_end':
      return callLine(event, `${outcome(event, colors)}  ${dim(duration(event.durationMs))}`, colors);
    case 'tool_not_executed':
      // The line of the decision, or of the expiry, has said so.
      return event.status === 'denied' || event.status === 'expired'
        ? undefined
        : callLine(event, outcome(event, colors), colors);
    case 'grant_revoked':
      return `    the grant of ${event.toolName} was revoked by ${printableLine(event.by, 32)}`;
    case 'budget_exhausted':
      return yellow(`    budget ${event.budget} is used up${exhaustedWords(event.onExhausted)}`);
    case 'budget_extended':
      return `    budgets extended by ${printableLine(event.by, 32)}`;
  }
}

function exhaustedWords(onExhausted: Extract<RunEvent, { type: 'budget_exhausted' }>['onExhausted']): string {
  switch (onExhausted) {
    case 'pause':
      return '; the run waits until it is extended';
    case 'conclude':
      return '; one last word follows';
    case 'fail':
      return '; the run fails';
    case undefined:
      return '';
  }
}

/** Such as `done`, or `failed, model_failed: ...`, by the table of codes alone. */
export function endWords({ status, code, exhausted }: EndEvent): string {
  if (exhausted !== undefined && status !== 'failed') return `ended, budget ${exhausted} used up`;
  if (status === 'failed' && code !== undefined) return `failed, ${code}: ${ERROR_CODES[code].meaning}`;
  return status.replace('_', ' ');
}

function answered({ toolNames }: Extract<RunEvent, { type: 'model_answered' }>): string {
  if (toolNames.length === 0) return 'The model has finished.';
  return `The model asks for ${printableLine(toolNames.join(', '), 57)}`;
}

const DECIDED = { approve: 'approved', edit: 'edited', deny: 'denied' } as const;

function decided(event: Extract<RunEvent, { type: 'approval_decided' }>): string {
  const whole = event.scope === 'run' ? ', for the whole run' : '';
  return `${DECIDED[event.decision]} by ${printableLine(event.approver, 32)} (${event.via})${whole}`;
}

function outcome(
  { status, code }: { readonly status: string; readonly code?: string },
  { green, red, dim }: Colors,
): string {
  const paint = status === 'ok' ? green : status === 'error' ? red : dim;
  return paint([status, code].filter(Boolean).join(' '));
}

function callLine({ turn, index, toolName }: EventCall, what: string, { bold, dim }: Colors): string {
  const number = `${String(turn + 1)}.${String(index + 1)}`;
  return `    ${dim(number)}  ${bold(printableLine(toolName, 24))}  ${what}`;
}
