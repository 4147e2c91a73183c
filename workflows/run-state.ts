import type { CallModelResult } from '../src/contract/activities.js';
import type { RecordedWebhook } from '../src/contract/announcement.js';
import type { CallOutcome } from '../src/contract/call.js';
import type { BudgetExtension } from '../src/contract/control.js';
import type { ApprovalRequest, KeptAnswer } from '../src/contract/decision.js';
import { jsonBytes } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import type { Budgets } from '../src/contract/manifest.js';
import type {
  AnnouncementUnderWay,
  BudgetCounters,
  BudgetName,
  Grant,
  RunPhase,
  RunState,
  SettledRequest,
} from '../src/contract/run.js';
import type { TranscriptEntry } from '../src/contract/transcript.js';
import type { CallStep, CallUnderWay, Ruling } from '../src/contract/turn-under-way.js';
import { count, exhaustedBy, NO_USE } from '../src/policy/budget.js';
import { checkedKeyOf, requestKeyIn } from '../src/policy/request-key.js';

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
    announcing: [],
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

/** The model asked for calls: a turn begins. */
export function turnBegun(state: RunState, { content, finishReason }: CallModelResult): RunState {
  const calls = content.calls.map((call) => {
    const { providerCallId, tool } = call;
    return { providerCallId, tool, step: { at: 'proposed' as const, call } };
  });
  const text = content.text.slice(0, LIMITS.shownTextCharacters);
  return { ...state, phase: 'tools', underWay: { text, finishReason, calls } };
}

/** A call of the turn has come so far. */
export function callMoved(state: RunState, index: number, step: CallStep): RunState {
  const { underWay } = state;
  if (!underWay) return state;
  const calls = underWay.calls.map((call, i) => (i === index ? { ...call, step } : call));
  return { ...state, underWay: { ...underWay, calls } };
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
  { exhausted: _exhausted, exhaustedAt, ...state }: RunState,
  budgets: Budgets,
  now: number,
): RunState {
  const still = exhaustedBy(state.budget, budgets) ?? spent(state, budgets, now);
  if (!still) return state;
  return { ...state, exhausted: still, ...(exhaustedAt !== undefined && { exhaustedAt }) };
}

/** The run waits for an operator to extend what is used up, once for its whole time. */
export function waitsForBudget(state: RunState, now: number): RunState {
  return { ...state, phase: 'exhausted', exhaustedAt: state.exhaustedAt ?? now };
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
export function turnEnded(
  { underWay: _underWay, ...state }: RunState,
  results: readonly TranscriptEntry[],
  budgets: Budgets,
): RunState {
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

/** An announcement is on its way; one that is sent again after a continuation is on its way already. */
export function announcing(state: RunState, announcement: AnnouncementUnderWay): RunState {
  const known = state.announcing.some((other) => isSame(other, announcement));
  return known ? state : { ...state, announcing: [...state.announcing, announcement] };
}

/** Its delivery has ended, with or without a receipt. */
export function announced(state: RunState, announcement: AnnouncementUnderWay): RunState {
  return { ...state, announcing: state.announcing.filter((other) => !isSame(other, announcement)) };
}

function isSame(a: AnnouncementUnderWay, b: AnnouncementUnderWay): boolean {
  return a.requestKey === b.requestKey && a.type === b.type && a.webhook === b.webhook;
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

const HOW: Record<Ruling['kind'], SettledRequest['how']> = {
  approved: 'decided',
  denied: 'decided',
  expired: 'expired',
  withdrawn: 'withdrawn',
};

/** The request no longer waits, and its call knows how it ended. */
export function ruled(
  state: RunState,
  { requestKey, call }: Pick<ApprovalRequest, 'requestKey' | 'call'>,
  ruling: Ruling,
): RunState {
  const step = state.underWay?.calls[call.index]?.step;
  const moved =
    step?.at === 'checked'
      ? callMoved(state, call.index, { at: 'ruled', checked: step.checked, ruling })
      : state;
  return {
    ...moved,
    pending: state.pending.filter((r) => r.requestKey !== requestKey),
    settled: newest([...state.settled, { requestKey, how: HOW[ruling.kind] }], LIMITS.keptEndsBytes),
  };
}

/** How the request of a call ended; undefined while it waits. */
export function rulingOf({ underWay }: RunState, { call }: ApprovalRequest): Ruling | undefined {
  const step = underWay?.calls[call.index]?.step;
  return step?.at === 'ruled' ? step.ruling : undefined;
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
export function continued({ underWay, ...state }: RunState): RunState {
  const { pending } = state;
  const calls = underWay?.calls.map((call, index) => {
    const asked = call.step.at === 'ruled' || pending.some((request) => request.call.index === index);
    return asked ? withoutArguments(call) : call;
  });
  return {
    ...state,
    ...(underWay && calls && { underWay: { ...underWay, calls } }),
    announcing: state.announcing.filter((a) => pending.some((r) => r.requestKey === a.requestKey)),
    continuations: state.continuations + 1,
  };
}

/** The request holds them, or nobody needs them any more. */
function withoutArguments({ step, ...call }: CallUnderWay): CallUnderWay {
  if (step.at !== 'checked' && step.at !== 'ruled') return { ...call, step };
  const { args: _args, ...checked } = step.checked;
  return { ...call, step: { ...step, checked } };
}

/**
 * After a reset: what waits is asked anew, announced and in time escalated, under keys of the execution at hand. The
 * approvals that had counted by then stay, as those of a single execution do.
 */
export function rekeyed(state: RunState, runId: string, webhooks: readonly RecordedWebhook[]): RunState {
  const pending = state.pending.map(({ escalatedAt: _escalatedAt, ...request }) => {
    const { requestKey } = request;
    return { ...request, requestKey: requestKeyIn(checkedKeyOf(requestKey), runId) };
  });
  const announcing = pending.flatMap(({ requestKey }) =>
    webhooks.map(({ name }) => ({ requestKey, type: 'approval.requested' as const, webhook: name })),
  );
  return { ...state, pending, announcing };
}
