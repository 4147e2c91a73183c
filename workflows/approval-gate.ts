import { ValueError } from '@temporalio/common';
import { ActivityFailure, allHandlersFinished, condition, workflowInfo } from '@temporalio/workflow';
import type { ValidateApprovalInput } from '../src/contract/activities.js';
import type {
  AcceptedVerdict,
  ApprovalRequest,
  DecisionAnswer,
  DecisionVerdict,
} from '../src/contract/decision.js';
import { validateApproval } from './activities.js';
import { jsonBytes } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import { admissionFault, type Refusal } from '../src/policy/decision-admission.js';
import { checkedKeyOf } from '../src/policy/request-key.js';
import type { Announcer } from './announcer.js';
import { failure } from './run-failure.js';
import type { Ruling } from '../src/contract/turn-under-way.js';
import type { Run } from './run.js';
import { grantOf, missingApprovals, withApproval } from '../src/policy/count-approvals.js';
import { answered, approvedInPart, granted, requested, ruled, rulingOf } from './run-state.js';

const TOO_MANY: Refusal = {
  code: 'too_many_decisions',
  text: 'Too many decisions wait to be judged. Send it again later.',
};
const TOO_LARGE: DecisionAnswer = {
  counted: false,
  code: 'decision_too_large',
  text: 'With this edit too much would wait for people at once. Shorten it, or decide about the others first.',
};
const NOT_JUDGED = 'The decision could not be judged, so nothing changed. Send it again.';

interface Waiting {
  readonly payload: unknown;
  /** Workflow time, milliseconds since the epoch. */
  readonly arrivedAt: number;
  readonly reply: (answer: DecisionAnswer) => void;
}

/**
 * Where people decide. Decisions are judged one at a time, in the order of their arrival, whichever way they
 * came: of two at once exactly one wins (`hitl:stale`). One that a worker took before the expiry is judged
 * before the request expires; one that it took after that is late, also when it was sent in time while no
 * worker lived (`hitl:expire`).
 */
export class ApprovalGate {
  private readonly queue: Waiting[] = [];
  private judging = false;
  private lastMade: Promise<unknown> = Promise.resolve();
  /** For requests that are being made, bytes. */
  private reserved = 0;

  constructor(
    private readonly run: Run,
    private readonly announcer: Announcer,
  ) {}

  /** The signal `approval`: only queues, whatever it is, so that its refusal is recorded (`hitl:signal`). */
  receive(payload: unknown): void {
    this.queue.push({ payload, arrivedAt: Date.now(), reply: () => undefined });
  }

  /** The update's validator: synchronous and cheap. Throws the refusal, which leaves no event. */
  admit(payload: unknown): void {
    // What waits to continue as new takes no more: at 50 MB the server would end it.
    const full =
      this.queue.length >= LIMITS.queuedDecisions || workflowInfo().historySize > LIMITS.crowdedBytes;
    const refusal = full ? TOO_MANY : admissionFault(payload);
    if (refusal) throw failure(refusal.code, refusal.text);
  }

  /** The update `decideApproval`: the same, and answers. */
  decide(payload: unknown): Promise<DecisionAnswer> {
    // The history repeats what was accepted.
    this.run.room.spend(jsonBytes(payload));
    this.run.steps.noteUpdate();
    return new Promise((reply) => {
      this.queue.push({ payload, arrivedAt: Date.now(), reply });
    });
  }

  /** Judges what arrives until the workflow ends. */
  async judgeForever(): Promise<never> {
    for (;;) {
      await condition(() => this.queue.length > 0);
      const next = this.queue[0];
      if (!next) continue;
      this.judging = true;
      const answer = await this.judge(next);
      this.run.steps.note();
      this.queue.shift();
      this.judging = false;
      next.reply(answer);
    }
  }

  /**
   * Waits for a person, at most until the request expires (`hitl:durable`, `hitl:expire`).
   *
   * @param bytes the most that the request may have, as JSON; it is made once there is room for it.
   */
  async ask(bytes: number, make: () => Promise<ApprovalRequest>): Promise<Ruling> {
    const mine = this.lastMade.then(() => this.roomFor(bytes));
    this.lastMade = mine.catch(() => undefined);
    await mine;
    if (this.run.isStopping) return { kind: 'withdrawn' };
    this.reserved += bytes;
    let request: ApprovalRequest;
    try {
      request = await make();
    } finally {
      this.reserved -= bytes;
    }
    if (this.run.isStopping) return { kind: 'withdrawn' };
    this.run.apply(requested, request);
    return this.await(request, this.announcer.begin(request));
  }

  /** Goes on waiting in the successor of the execution that asked (`run:continue-as-new`). */
  resume(request: ApprovalRequest): Promise<Ruling> {
    return this.await(request, this.announcer.resume(request));
  }

  private async await(request: ApprovalRequest, announced: () => void): Promise<Ruling> {
    const ruling = (): Ruling | undefined => rulingOf(this.run.state, request);
    const isRuled = (): boolean => ruling() !== undefined;
    try {
      const inTime = await condition(isRuled, Math.max(1, request.expiresAt - Date.now()));
      // What arrived before the timer is judged first.
      if (!inTime) await condition(() => isRuled() || this.idle);
    } catch (cancellation) {
      if (!isRuled()) this.run.apply(ruled, request, { kind: 'withdrawn' });
      throw cancellation;
    } finally {
      announced();
    }
    const made = ruling();
    if (made) return made;
    this.run.apply(ruled, request, { kind: 'expired' });
    return { kind: 'expired' };
  }

  /** Resolves when what waits for people leaves room: it is shown as one answer (`run:payloads`). */
  private async roomFor(bytes: number): Promise<void> {
    for (;;) {
      const { reserved } = this;
      const { pending } = this.run.state;
      if (pending.length === 0 && reserved === 0) return;
      if (jsonBytes(pending) + reserved + bytes <= LIMITS.pendingBytes) return;
      await condition(() => this.run.state.pending !== pending || this.reserved !== reserved);
    }
  }

  /** Ends every waiting request: a budget of the run is used up. */
  withdrawAll(): void {
    for (const request of this.run.state.pending) this.run.apply(ruled, request, { kind: 'withdrawn' });
  }

  /** Resolves when it is settled. */
  async settled(): Promise<void> {
    await condition(() => this.isSettled);
  }

  /** No decision waits, and no update is unanswered. */
  get isSettled(): boolean {
    return this.idle && allHandlersFinished();
  }

  /** No decision waits to be judged. */
  private get idle(): boolean {
    return !this.judging && this.queue.length === 0;
  }

  private async judge({ payload, arrivedAt }: Waiting): Promise<DecisionAnswer> {
    const verdict = await this.validate(payload, arrivedAt);
    if (verdict.repeated) return verdict.answer;
    const answer = verdict.accepted ? this.accept(verdict) : refusal(verdict);
    const decisionId = verdict.accepted ? verdict.decision.decisionId : verdict.decisionId;
    const { payloadDigest } = verdict;
    // Kept only for what was rightly signed: nobody takes a decisionId from its owner by naming it.
    if (decisionId !== undefined && payloadDigest !== undefined) {
      this.run.apply(answered, { decisionId, payloadDigest, answer });
    }
    return answer;
  }

  private async validate(payload: unknown, arrivedAt: number): Promise<DecisionVerdict> {
    try {
      return await this.run.room.record(() => validateApproval(this.question(payload, arrivedAt)));
    } catch (error) {
      // What cannot even be handed to the activity is refused too; it must not fail the task for ever.
      if (!(error instanceof ActivityFailure || error instanceof ValueError)) throw error;
      return { accepted: false, code: 'decision_not_judged', text: NOT_JUDGED };
    }
  }

  private question(payload: unknown, arrivedAt: number): ValidateApprovalInput {
    const { manifest, state } = this.run;
    // A task that brings a decision and a timer does not say which came first: what may be late is late.
    const late = state.pending.filter((request) => request.expiresAt <= arrivedAt);
    return {
      agent: this.run.agent,
      runId: this.run.id,
      // As text: one level deeper, a payload could be nested too deeply to be encoded.
      ...(payload !== undefined && { payload: JSON.stringify(payload) }),
      salt: manifest.salt,
      arrivedAt,
      approvals: manifest.approvals,
      ...(this.run.startedBy !== undefined && { startedBy: this.run.startedBy }),
      pending: state.pending.filter((request) => !late.includes(request)),
      settled: [...state.settled, ...late.map(({ requestKey }) => ({ requestKey, how: 'expired' as const }))],
      answers: state.answers,
      tools: manifest.tools,
      protectedPaths: manifest.protectedPaths,
    };
  }

  private accept(verdict: AcceptedVerdict): DecisionAnswer {
    const { decision } = verdict;
    // After a reset the recorded verdict names the request as the earlier execution called it.
    const request = this.run.state.pending.find(
      (r) => checkedKeyOf(r.requestKey) === checkedKeyOf(decision.requestKey),
    );
    if (!request) {
      return { counted: false, code: 'request_withdrawn', text: 'The request was withdrawn meanwhile.' };
    }
    const { requestKey } = request;
    const counted = { counted: true, requestKey, decision: decision.decision } as const;
    if (decision.decision === 'deny') {
      const { reason } = decision;
      this.run.apply(ruled, request, { kind: 'denied', ...(reason !== undefined && { reason }) });
      return counted;
    }
    const now = withApproval(request, verdict);
    const remaining = missingApprovals(now);
    if (remaining > 0) {
      if (!this.fits(now)) return TOO_LARGE;
      this.run.apply(approvedInPart, now);
      return { ...counted, remaining };
    }
    this.run.apply(ruled, request, { kind: 'approved', request: now, decidedAs: decision.requestKey });
    const grant = grantOf(now);
    if (grant) this.run.apply(granted, grant);
    return counted;
  }

  /** Whether an edit that waits for more approvals leaves what waits within one answer (`run:payloads`). */
  private fits(changed: ApprovalRequest): boolean {
    const others = this.run.state.pending.filter((r) => r.requestKey !== changed.requestKey);
    return others.length === 0 || jsonBytes([...others, changed]) <= LIMITS.pendingBytes;
  }
}

type Judged = Exclude<DecisionVerdict, { repeated: true }>;

function refusal(verdict: Judged): DecisionAnswer {
  if (verdict.accepted) return { counted: false, code: 'decision_not_judged', text: NOT_JUDGED };
  const { code, text, at } = verdict;
  return { counted: false, code, text, ...(at !== undefined && { at }) };
}
