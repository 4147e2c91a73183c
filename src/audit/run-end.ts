import type { CallOutcome } from '../contract/call.js';
import type { HistoryFact } from './history-event.js';
import { isRunResult } from './recognise.js';
import type { Place, RunEnd } from './timeline.js';

type EndFact = Extract<HistoryFact, { kind: `run_${string}` }>;

/** How the run ended, as its last event says. */
export function runEndOf(fact: EndFact, place: Place): RunEnd {
  switch (fact.kind) {
    case 'run_completed':
      return { ...place, status: 'completed', ...resultIn(fact.result) };
    case 'run_failed': {
      const { type, message, details } = fact;
      return { ...place, status: 'failed', message, ...(type && { type }), ...resultIn(details) };
    }
    case 'run_cancelled':
      return { ...place, status: 'cancelled' };
    case 'run_terminated':
      return { ...place, status: 'terminated' };
    case 'run_timed_out':
      return { ...place, status: 'timed_out' };
  }
}

/** How calls ended that were still open when the run ended by itself. */
export function unsettledOutcome(end: RunEnd): CallOutcome | undefined {
  if (end.status === 'cancelled') return { status: 'cancelled' };
  if (end.status === 'failed' && end.type === 'holdfast.budget_exhausted') {
    return { status: 'error', code: 'budget_exhausted' };
  }
  return undefined;
}

function resultIn(value: unknown) {
  return isRunResult(value) ? { result: value } : {};
}
