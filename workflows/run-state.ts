import type { CallModelResult } from '../src/contract/activities.js';
import type { CallOutcome } from '../src/contract/call.js';
import type { ApprovalRequest, KeptAnswer } from '../src/contract/decision.js';
import { LIMITS } from '../src/contract/limits.js';
import type { Budgets } from '../src/contract/manifest.js';
import type { Grant, RunPhase, RunState, SettledRequest } from '../src/contract/run.js';
import type { TranscriptEntry } from '../src/contract/transcript.js';
import { count, exhaustedBy, NO_USE } from '../src/policy/budget.js';

// Pure transitions over the one snapshot. Nothing else makes a RunState.

export function initialState(prompt: string): RunState {
  return {
    version: 1,
    phase: 'preparing',
    turn: 0,
    calls: 0,
    budget: NO_USE,
    grants: [],
    pending: [],
    settled: [],
    answers: [],
    head: null,
    append: [{ kind: 'user', text: prompt }],
    continuations: 0,
  };
}

export function inPhase(state: RunState, phase: RunPhase): RunState {
  return { ...state, phase };
}

/** The model has answered: what was appended now stands in the chain. */
export function modelAnswered(state: RunState, answer: CallModelResult): RunState {
  return { ...state, head: answer.head, append: [] };
}

/** One more call has its outcome; the budgets count it in this order (`budget:errors`). */
export function outcomeRecorded(state: RunState, outcome: CallOutcome, budgets: Budgets): RunState {
  const budget = count(state.budget, outcome);
  const exhausted = state.exhausted ?? exhaustedBy(budget, budgets);
  return { ...state, calls: state.calls + 1, budget, ...(exhausted && { exhausted }) };
}

/** All calls of the turn have their results, which the next model call appends in the order of the calls. */
export function turnEnded(state: RunState, results: readonly TranscriptEntry[], budgets: Budgets): RunState {
  const turn = state.turn + 1;
  const exhausted = state.exhausted ?? (turn >= budgets.maxTurns ? 'maxTurns' : undefined);
  return { ...state, turn, append: [...state.append, ...results], ...(exhausted && { exhausted }) };
}

export function noticed(state: RunState, text: string): RunState {
  return { ...state, append: [...state.append, { kind: 'notice', text }] };
}

export function requested(state: RunState, request: ApprovalRequest): RunState {
  return { ...state, pending: [...state.pending, request] };
}

/** The request no longer waits. */
export function settled(state: RunState, requestKey: string, how: SettledRequest['how']): RunState {
  return {
    ...state,
    pending: state.pending.filter((r) => r.requestKey !== requestKey),
    settled: [...state.settled, { requestKey, how }].slice(-LIMITS.keptAnswers),
  };
}

export function granted(state: RunState, grant: Grant): RunState {
  return { ...state, grants: [...state.grants.filter((g) => g.tool !== grant.tool), grant] };
}

export function answered(state: RunState, kept: KeptAnswer): RunState {
  return { ...state, answers: [...state.answers, kept].slice(-LIMITS.keptAnswers) };
}

/** What the successor starts from. */
export function continued(state: RunState): RunState {
  return { ...state, continuations: state.continuations + 1 };
}
