import { pathsOf } from '../audit/call-paths.js';
import type { CallRecord } from '../audit/timeline.js';
import { ERROR_CODES } from '../contract/error-codes.js';
import type { EventCall, RunEvent } from '../contract/events.js';
import { reasonIn } from './call-notes.js';
import { callNumber } from '../runs/call-number.js';
import { duration } from './duration.js';
import { refusedWords } from './print-timeline.js';
import { printableLine } from './printable.js';
import type { Colors } from './terminal.js';

type EndEvent = Extract<RunEvent, { type: 'run_end' }>;

/**
 * What a person who follows a run sees of an event: at most one line.
 * Empty for what other events tell as well.
 *
 * @param call that the event is about: its paths, and the reason of who decided, are shown. Omitted: they are not.
 */
export function eventLine(event: RunEvent, colors: Colors, call?: CallRecord): string | undefined {
  const { dim, yellow } = colors;
  const callLine = (about: EventCall, what: string): string => lineOf(about, call, what, colors);
  switch (event.type) {
    case 'run_start':
    case 'run_prepared':
    case 'turn_start':
    case 'turn_end':
    case 'tool_checked':
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
    case 'tool_execution_start':
      // Of a decision its own line has told.
      return event.authorization === 'grant'
        ? callLine(event, `runs by the grant of ${printableLine(event.approver ?? '', 32)}`)
        : undefined;
    case 'approval_requested':
      return callLine(event, `asks  ${yellow(event.riskLevel)}`);
    case 'approval_denied_by_policy':
      return callLine(event, yellow('denied by policy'));
    case 'approval_escalated':
      return callLine(event, yellow('nobody decided yet: the next approvers are asked'));
    case 'approval_announced':
      return event.delivered
        ? undefined
        : callLine(event, yellow(`the webhook ${event.webhook} was not told`));
    case 'approval_decided':
      return callLine(event, decided(event, call));
    case 'approval_refused': {
      const text = yellow(`a ${refusedWords(event.approver, event.via)}: ${event.code}`);
      return event.call ? callLine(event.call, text) : `    ${text}`;
    }
    case 'approval_expired':
      return callLine(event, yellow('nobody decided in time'));
    case 'approval_withdrawn':
      return callLine(event, dim('is asked no more'));
    case 'tool_execution_end':
      return callLine(event, `${outcome(event, colors)}  ${dim(duration(event.durationMs))}`);
    case 'tool_not_executed':
      // The line of the decision, or of the expiry, has said so.
      return event.status === 'denied' || event.status === 'expired'
        ? undefined
        : callLine(event, outcome(event, colors));
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

/** Such as `done after 2.3 s`, or `failed after 2.3 s, model_failed: ...`, by the table of codes alone. */
export function endWords({ status, code, exhausted }: EndEvent, after: string): string {
  if (exhausted !== undefined && status !== 'failed') return `ended, budget ${exhausted} used up${after}`;
  if (status === 'failed' && code !== undefined) {
    return `failed${after}, ${code}: ${ERROR_CODES[code].meaning}`;
  }
  return status.replace('_', ' ') + after;
}

function answered({ toolNames }: Extract<RunEvent, { type: 'model_answered' }>): string {
  if (toolNames.length === 0) return 'The model has finished.';
  return `The model asks for ${printableLine(toolNames.join(', '), 57)}`;
}

const DECIDED = { approve: 'approved', edit: 'edited', deny: 'denied' } as const;

function decided(
  event: Extract<RunEvent, { type: 'approval_decided' }>,
  call: CallRecord | undefined,
): string {
  const { decisionId } = event;
  const record = call?.decisions.findLast(({ decision }) => decision?.decisionId === decisionId);
  const reason = reasonIn(record?.decision);
  const whole = event.scope === 'run' ? ', for the whole run' : '';
  return `${DECIDED[event.decision]} by ${printableLine(event.approver, 32)} (${event.via})${whole}${reason && `: ${reason}`}`;
}

function outcome(
  { status, code }: { readonly status: string; readonly code?: string },
  { green, red, dim }: Colors,
): string {
  const paint = status === 'ok' ? green : status === 'error' ? red : dim;
  return paint([status, code].filter(Boolean).join(' '));
}

function lineOf(about: EventCall, call: CallRecord | undefined, what: string, { bold, dim }: Colors): string {
  const paths = call ? pathsOf(call).map(({ relative }) => relative) : [];
  const words = [
    dim(callNumber(about)),
    bold(printableLine(about.toolName, 24)),
    ...(paths.length > 0 ? [printableLine(paths.join(', '), 32)] : []),
    what,
  ];
  return `    ${words.join('  ')}`;
}
