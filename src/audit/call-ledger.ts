import type { ExecuteToolInput } from '../contract/activities.js';
import type { CallKey, CallOutcome, EndedCall, ProposedCall } from '../contract/call.js';
import type { ApprovalPolicy } from '../contract/approval-policy.js';
import type { AcceptedVerdict } from '../contract/decision.js';
import type { Grant, RunState } from '../contract/run.js';
import { isJsonObject } from '../contract/json.js';
import type { TranscriptEntry } from '../contract/transcript.js';
import { ApprovalTally } from './approval-tally.js';
import { CallBook, type BuildingCall } from './call-book.js';
import { DecisionLedger, namedBy, type BuildingDecision } from './decision-ledger.js';
import {
  isDecisionVerdict,
  isExecutionResult,
  isGuardVerdict,
  isUncounted,
  isValidationVerdict,
} from './recognise.js';
import { resumedCalls } from './resumed-turn.js';
import type { CallRecord, DecisionRecord, Place } from './timeline.js';

export type CallChange =
  /** Both verdicts are positive; next it is asked about or runs. */
  | { readonly kind: 'checked'; readonly call: CallRecord }
  | {
      readonly kind: 'judged';
      readonly decision: DecisionRecord;
      readonly call?: CallRecord;
      /** That came of it. */
      readonly grant?: Grant;
    }
  | { readonly kind: 'executing'; readonly call: CallRecord }
  | { readonly kind: 'outcome'; readonly call: CallRecord };

type Changes = readonly CallChange[];

interface Unanswered {
  readonly call: BuildingCall;
  readonly decision: BuildingDecision;
  readonly result: AcceptedVerdict;
}

/** The calls of a run as the events tell of them. A method gives undefined for what cannot be read. */
export class CallLedger {
  /** As recorded, once that is known. */
  approvals: ApprovalPolicy = {};
  readonly #calls = new CallBook();
  readonly #decisions = new DecisionLedger();
  readonly #tally = new ApprovalTally();
  /** Accepted, but the run has the last word: by the event that accepted the update. */
  readonly #unanswered = new Map<number, Unanswered>();

  get decisions(): readonly DecisionRecord[] {
    return this.#decisions.records;
  }

  propose(turn: number, proposed: readonly ProposedCall[]): readonly CallRecord[] {
    return this.#calls.propose(turn, proposed);
  }

  /** A continuation begins in the middle of a turn; gives those of its calls that were not known. */
  resume(state: RunState, place: Place): readonly CallRecord[] {
    return resumedCalls(state, place).flatMap(({ call, request }) => {
      if (!this.#calls.resume(call)) return [];
      if (request) this.#tally.resume(call, request);
      return [call];
    });
  }

  callOf(key: CallKey): CallRecord | undefined {
    return this.#calls.byKey(key);
  }

  /** A local activity's answer. */
  check(activity: string, result: unknown, place: Place): Changes | undefined {
    switch (activity) {
      case 'validateToolCall':
        return this.#validated(result, place);
      case 'guardPaths':
        return this.#guarded(result, place);
      case 'validateApproval':
        return this.#judged(result, place);
      default:
        return [];
    }
  }

  /** A local activity that failed; its marker names no call, but calls and decisions are judged in their order. */
  fail(activity: string, place: Place): Changes | undefined {
    switch (activity) {
      case 'validateToolCall':
        return this.#uncheckable((call) => !call.validation, place);
      case 'guardPaths':
        return this.#uncheckable((call) => call.validation?.value.valid === true, place);
      case 'validateApproval':
        this.#decisions.skip();
        return [];
      default:
        return [];
    }
  }

  arrive(via: DecisionRecord['via'], payload: unknown, arrived: Place): void {
    const record = this.#decisions.arrive(via, payload, arrived);
    this.#calls.asked(record.decision?.requestKey)?.decisions.push(record);
  }

  /**
   * An update that was answered. A decision may be right and not count any more: its request was withdrawn while it was
   * judged, or its edit would have made too much wait. Nothing answers a signal, so there the verdict is the last word.
   */
  answered(acceptedId: number, answer: unknown): Changes {
    const waiting = this.#unanswered.get(acceptedId);
    if (!waiting) return [];
    this.#unanswered.delete(acceptedId);
    const { call, decision, result } = waiting;
    if (!isUncounted(answer)) return this.#counted(call, decision, result);
    decision.uncounted = answer;
    return [{ kind: 'judged', decision, call }];
  }

  execute(input: ExecuteToolInput, scheduled: Place): Changes | undefined {
    const { call: key, tool, args, authorization, validation } = input;
    const { argsDigest } = validation;
    const call = this.#calls.byKey(key);
    if (!call) return undefined;
    call.execution = { scheduled, tool, args, argsDigest, authorization, attempts: 0 };
    return [{ kind: 'executing', call }];
  }

  attempt(key: CallKey, attempt: number): void {
    const execution = this.#calls.byKey(key)?.execution;
    if (execution) execution.attempts = attempt;
  }

  finish(key: CallKey, result: unknown, ended: Place): Changes | undefined {
    const call = this.#calls.byKey(key);
    if (!call?.execution || !isExecutionResult(result)) return undefined;
    Object.assign(call.execution, { ended, end: result });
    return this.#end(
      call,
      result.status === 'ok' ? { status: 'ok' } : { status: 'error', code: result.code },
    );
  }

  /** An execution that ended without an answer; a defect of Holdfast ends the run and is no outcome. */
  stop(
    key: CallKey | undefined,
    how: 'lost' | 'failed' | 'cancelled',
    type: string | undefined,
    ended: Place,
  ): Changes {
    const call = key && this.#calls.byKey(key);
    if (!call?.execution) return [];
    Object.assign(call.execution, { ended, end: { status: how } });
    if (how === 'cancelled') return this.#end(call, { status: 'cancelled' });
    return type === 'holdfast.internal_error'
      ? []
      : this.#end(call, { status: 'error', code: 'interrupted' });
  }

  /** What the model was told of its calls: the word on those whose end no event of their own shows. */
  told(entries: readonly TranscriptEntry[]): Changes {
    return entries.flatMap((entry) => {
      const call = entry.kind === 'tool_result' ? this.#calls.byKey(entry.call) : undefined;
      if (entry.kind !== 'tool_result' || !call) return [];
      const text: unknown = entry.text;
      if (isJsonObject(text) && typeof text.inline === 'string') call.told = text.inline;
      return this.#ended(call, entry);
    });
  }

  /** What a run that failed says of calls whose end no model was told. */
  untold(ends: readonly EndedCall[]): Changes {
    return ends.flatMap((end) => {
      const call = this.#calls.byKey(end);
      return call ? this.#ended(call, end) : [];
    });
  }

  /** The run has ended: what is still open ended with it, when that can be said. */
  close(outcome: CallOutcome | undefined): Changes {
    if (!outcome) return [];
    return this.#calls.all.flatMap((call) => (call.outcome ? [] : this.#end(call, outcome)));
  }

  #validated(result: unknown, place: Place): Changes | undefined {
    const call = isValidationVerdict(result) ? this.#calls.byRequestKey(result.requestKey) : undefined;
    if (!call || !isValidationVerdict(result)) return undefined;
    call.validation = { ...place, value: result };
    return result.valid ? [] : this.#end(call, { status: 'error', code: result.code });
  }

  #guarded(result: unknown, place: Place): Changes | undefined {
    const call = isGuardVerdict(result) ? this.#calls.byRequestKey(result.requestKey) : undefined;
    if (!call || !isGuardVerdict(result)) return undefined;
    call.guard = { ...place, value: result };
    return result.allowed
      ? [{ kind: 'checked', call }]
      : this.#end(call, { status: 'error', code: result.code });
  }

  #uncheckable(fits: (call: CallRecord) => boolean, place: Place): Changes | undefined {
    const call = this.#calls.all.find((c) => !c.outcome && !c.guard && fits(c));
    if (!call) return undefined;
    call.failedCheck = place;
    return this.#end(call, { status: 'error', code: 'check_failed' });
  }

  #judged(result: unknown, place: Place): Changes | undefined {
    if (!isDecisionVerdict(result)) return undefined;
    const decision = this.#decisions.judge(result, place);
    if (!decision) return undefined;
    if (result.repeated) return [{ kind: 'judged', decision }];
    const call = this.#calls.asked(namedBy(result).requestKey);
    if (!call) return [{ kind: 'judged', decision }];
    if (!result.accepted) return [{ kind: 'judged', decision, call }];
    if (decision.via === 'signal') return this.#counted(call, decision, result);
    this.#unanswered.set(decision.arrived.eventId, { call, decision, result });
    return [];
  }

  #counted(call: BuildingCall, decision: BuildingDecision, result: AcceptedVerdict): Changes {
    const { remaining, grant } = this.#tally.add(call, result, this.approvals);
    decision.remaining = remaining;
    const denied = result.decision.decision === 'deny';
    return [
      { kind: 'judged', decision, call, ...(grant && { grant }) },
      ...(denied ? this.#end(call, { status: 'denied' }) : []),
    ];
  }

  #ended(call: BuildingCall, { status, code, byPolicy }: CallOutcome): Changes {
    if (call.outcome?.status === status && call.outcome.code === code) return [];
    return this.#end(call, {
      status,
      ...(code && { code }),
      ...(status === 'denied' && byPolicy === true && { byPolicy }),
    });
  }

  #end(call: BuildingCall, outcome: CallOutcome): Changes {
    call.outcome = outcome;
    return [{ kind: 'outcome', call }];
  }
}
