import type { CallModelResult } from '../src/contract/activities.js';
import type { CallOutcome } from '../src/contract/call.js';
import type { BudgetExtension } from '../src/contract/control.js';
import type { ApprovalRequest, KeptAnswer } from '../src/contract/decision.js';
import { jsonBytes } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import type { Budgets } from '../src/contract/manifest.js';
import type {
  BudgetCounters,
  BudgetName,
  Grant,
  RunPhase,
  RunState,
  SettledRequest,
} from '../src/contract/run.js';
import type { TranscriptEntry } from '../src/contract/transcript.js';
import { count, exhaustedBy, NO_USE } from '../src/policy/budget.js';

// Pure transitions over the one snapshot. Nothing else makes a RunState.

export function initialState(prompt: string, startedAt: number): RunState {
  return {
    version: 1,
    phase: 'preparing',
    turn: 0,
    calls: 0,
    budget: NO_USE,
    extensions: [],
    startedAt,
    recentCalls: [],
    messages: [],
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
export function modelAnswered(state: RunState, answer: CallModelResult, budgets: Budgets): RunState {
  const { inputTokens = 0, outputTokens = 0 } = answer.usage;
  const budget = { ...state.budget, tokens: state.budget.tokens + inputTokens + outputTokens };
  return withBudget({ ...state, head: answer.head, append: [] }, budget, budgets);
}

function withBudget(state: RunState, budget: BudgetCounters, budgets: Budgets): RunState {
  const exhausted = state.exhausted ?? exhaustedBy(budget, budgets);
  return { ...state, budget, ...(exhausted && { exhausted }) };
}

/** A budget that is no counter is used up, such as the time of the run. */
export function exhaust(state: RunState, budget: BudgetName): RunState {
  return { ...state, exhausted: state.exhausted ?? budget };
}

/** An operator adds to the budgets; what is used up stays so until the run looks again (`refreshed`). */
export function extended(state: RunState, by: string, add: BudgetExtension): RunState {
  return { ...state, extensions: [...state.extensions, { by, add }] };
}

/** Judges anew whether a budget is used up, after an operator extended some. `budgets` are those that hold now. */
export function refreshed(
  { exhausted: _exhausted, ...state }: RunState,
  budgets: Budgets,
  now: number,
): RunState {
  const still = exhaustedBy(state.budget, budgets) ?? spent(state, budgets, now);
  return { ...state, ...(still && { exhausted: still }) };
}

/** A budget that is no counter of outcomes. */
function spent(state: Omit<RunState, 'exhausted'>, budgets: Budgets, now: number): BudgetName | undefined {
  if (state.turn >= budgets.maxTurns) return 'maxTurns';
  const { maxWallClockMs } = budgets;
  return maxWallClockMs !== undefined && state.startedAt + maxWallClockMs <= now
    ? 'maxWallClockMs'
    : undefined;
}

/** A call has arguments that can be told from others (`budget:repeat`). */
export function callSeen(state: RunState, call: string): RunState {
  return { ...state, recentCalls: [...state.recentCalls, call].slice(-LIMITS.recentCalls) };
}

/** One more call has its outcome; the budgets count it in this order (`budget:errors`). */
export function outcomeRecorded(
  state: RunState,
  tool: string,
  outcome: CallOutcome,
  budgets: Budgets,
): RunState {
  // What was under way when a budget was used up and ends well makes it no less used up.
  const uncounted = state.exhausted !== undefined && outcome.status === 'ok';
  const budget = uncounted ? state.budget : count(state.budget, tool, outcome, budgets);
  return withBudget({ ...state, calls: state.calls + 1 }, budget, budgets);
}

/** All calls of the turn have their results, which the next model call appends in the order of the calls. */
export function turnEnded(state: RunState, results: readonly TranscriptEntry[], budgets: Budgets): RunState {
  const turn = state.turn + 1;
  const exhausted = state.exhausted ?? (turn >= budgets.maxTurns ? 'maxTurns' : undefined);
  return { ...state, turn, append: [...state.append, ...results], ...(exhausted && { exhausted }) };
}

/** What was said meanwhile stands behind the results of the turn (`run:control`). */
export function messagesTaken(state: RunState): RunState {
  const said = state.messages.map((text) => ({ kind: 'user' as const, text }));
  return { ...state, append: [...state.append, ...said], messages: [] };
}

export function messageQueued(state: RunState, text: string): RunState {
  return { ...state, messages: [...state.messages, text] };
}

export function paused(state: RunState, by: string): RunState {
  return { ...state, pausedBy: by };
}

export function resumed({ pausedBy: _pausedBy, ...state }: RunState): RunState {
  return state;
}

export function revoked(state: RunState, tool: string): RunState {
  return { ...state, grants: state.grants.filter((grant) => grant.tool !== tool) };
}

export function noticed(state: RunState, text: string): RunState {
  return { ...state, append: [...state.append, { kind: 'notice', text }] };
}

export function requested(state: RunState, request: ApprovalRequest): RunState {
  return { ...state, pending: [...state.pending, request] };
}

/** One of the approvals that the request needs has counted; it waits for the others (`hitl:quorum`). */
export function approvedInPart(state: RunState, changed: ApprovalRequest): RunState {
  const { requestKey } = changed;
  return { ...state, pending: state.pending.map((r) => (r.requestKey === requestKey ? changed : r)) };
}

/** It was announced again, since nobody had decided (`hitl:escalate`). */
export function escalated(state: RunState, requestKey: string, escalatedAt: number): RunState {
  const pending = state.pending.map((r) => (r.requestKey === requestKey ? { ...r, escalatedAt } : r));
  return { ...state, pending };
}

/** The request no longer waits. */
export function settled(state: RunState, requestKey: string, how: SettledRequest['how']): RunState {
  return {
    ...state,
    pending: state.pending.filter((r) => r.requestKey !== requestKey),
    settled: newest([...state.settled, { requestKey, how }], LIMITS.keptEndsBytes),
  };
}

export function granted(state: RunState, grant: Grant): RunState {
  return { ...state, grants: [...state.grants.filter((g) => g.tool !== grant.tool), grant] };
}

export function answered(state: RunState, kept: KeptAnswer): RunState {
  return { ...state, answers: newest([...state.answers, kept], LIMITS.keptAnswersBytes) };
}

/** The last of them that fit. A decision about what was forgotten is refused by another code. */
function newest<Kept>(kept: readonly Kept[], bytes: number): readonly Kept[] {
  let rest = kept.slice(-LIMITS.keptAnswers);
  while (jsonBytes(rest) > bytes) rest = rest.slice(Math.ceil(rest.length / 10));
  return rest;
}

/** What the successor starts from. */
export function continued(state: RunState): RunState {
  return { ...state, continuations: state.continuations + 1 };
}
