import type { ExecuteToolInput } from '../contract/activities.js';
import type { CallKey, CallOutcome, EndedCall, ProposedCall } from '../contract/call.js';
import type { DecisionVerdict } from '../contract/decision.js';
import { isJsonObject } from '../contract/json.js';
import type { TranscriptEntry } from '../contract/transcript.js';
import { claimedDecision } from '../signing/claimed-decision.js';
import {
  isDecision,
  isDecisionVerdict,
  isExecutionResult,
  isGuardVerdict,
  isValidationVerdict,
} from './recognise.js';
import type { CallRecord, DecisionRecord, ExecutionRecord, Place } from './timeline.js';

export type CallChange =
  /** Both verdicts are positive; next it is asked about or runs. */
  | { readonly kind: 'checked'; readonly call: CallRecord }
  | { readonly kind: 'judged'; readonly decision: DecisionRecord; readonly call?: CallRecord }
  | { readonly kind: 'executing'; readonly call: CallRecord }
  | { readonly kind: 'outcome'; readonly call: CallRecord };

type Building<Value> = { -readonly [Member in keyof Value]: Value[Member] };
type Changes = readonly CallChange[];

interface BuildingCall extends Building<CallRecord> {
  decisions: DecisionRecord[];
  execution?: Building<ExecutionRecord>;
}

/** The calls of a run as the events tell of them. A method gives undefined for what cannot be read. */
export class CallLedger {
  readonly decisions: DecisionRecord[] = [];
  readonly #calls = new Map<string, BuildingCall>();
  /** Decisions are judged in the order of their arrival. */
  #unjudged: readonly {
    readonly record: Building<DecisionRecord>;
    readonly decisionId: string | undefined;
  }[] = [];

  propose(turn: number, proposed: readonly ProposedCall[]): readonly CallRecord[] {
    return proposed.map((call, index) => {
      const record: BuildingCall = { key: { turn, index }, proposed: call, decisions: [] };
      this.#calls.set(nameOf(record.key), record);
      return record;
    });
  }

  callOf(key: CallKey): CallRecord | undefined {
    return this.#calls.get(nameOf(key));
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
        this.#unjudged = this.#unjudged.slice(1);
        return [];
      default:
        return [];
    }
  }

  arrive(via: DecisionRecord['via'], payload: unknown, arrived: Place): void {
    const claimed = claimedDecision(payload);
    const record = { via, arrived, ...(isDecision(claimed) && { decision: claimed }) };
    this.decisions.push(record);
    this.#unjudged = [...this.#unjudged, { record, decisionId: decisionIdIn(claimed) }];
    this.#asked(record.decision?.requestKey)?.decisions.push(record);
  }

  execute(input: ExecuteToolInput, scheduled: Place): Changes | undefined {
    const { call: key, tool, args, authorization, validation } = input;
    const { argsDigest } = validation;
    const call = this.#calls.get(nameOf(key));
    if (!call) return undefined;
    call.execution = { scheduled, tool, args, argsDigest, authorization, attempts: 0 };
    return [{ kind: 'executing', call }];
  }

  attempt(key: CallKey, attempt: number): void {
    const execution = this.#calls.get(nameOf(key))?.execution;
    if (execution) execution.attempts = attempt;
  }

  finish(key: CallKey, result: unknown, ended: Place): Changes | undefined {
    const call = this.#calls.get(nameOf(key));
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
    const call = key && this.#calls.get(nameOf(key));
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
      const call = entry.kind === 'tool_result' ? this.#calls.get(nameOf(entry.call)) : undefined;
      if (entry.kind !== 'tool_result' || !call) return [];
      const text: unknown = entry.text;
      if (isJsonObject(text) && typeof text.inline === 'string') call.told = text.inline;
      return this.#ended(call, entry);
    });
  }

  /** What a run that failed says of calls whose end no model was told. */
  untold(ends: readonly EndedCall[]): Changes {
    return ends.flatMap((end) => {
      const call = this.#calls.get(nameOf(end));
      return call ? this.#ended(call, end) : [];
    });
  }

  /** The run has ended: what is still open ended with it, when that can be said. */
  close(outcome: CallOutcome | undefined): Changes {
    if (!outcome) return [];
    return [...this.#calls.values()].flatMap((call) => (call.outcome ? [] : this.#end(call, outcome)));
  }

  #validated(result: unknown, place: Place): Changes | undefined {
    const call = isValidationVerdict(result) ? this.#byRequestKey(result.requestKey) : undefined;
    if (!call || !isValidationVerdict(result)) return undefined;
    call.validation = { ...place, value: result };
    return result.valid ? [] : this.#end(call, { status: 'error', code: result.code });
  }

  #guarded(result: unknown, place: Place): Changes | undefined {
    const call = isGuardVerdict(result) ? this.#byRequestKey(result.requestKey) : undefined;
    if (!call || !isGuardVerdict(result)) return undefined;
    call.guard = { ...place, value: result };
    return result.allowed
      ? [{ kind: 'checked', call }]
      : this.#end(call, { status: 'error', code: result.code });
  }

  #uncheckable(fits: (call: CallRecord) => boolean, place: Place): Changes | undefined {
    const call = [...this.#calls.values()].find((c) => !c.outcome && !c.guard && fits(c));
    if (!call) return undefined;
    call.failedCheck = place;
    return this.#end(call, { status: 'error', code: 'check_failed' });
  }

  #judged(result: unknown, place: Place): Changes | undefined {
    if (!isDecisionVerdict(result)) return undefined;
    const judged = result.repeated
      ? this.#unjudged[0]
      : this.#unjudged.find(({ decisionId }) => decisionId === namedBy(result).decisionId);
    if (!judged) return undefined;
    this.#unjudged = this.#unjudged.filter((other) => other !== judged);
    const verdict = { ...place, value: result };
    // What was signed is what was decided, whatever else the payload seems to say.
    const signed = !result.repeated && result.accepted ? { decision: result.decision } : {};
    const decision = Object.assign(judged.record, { verdict, ...signed });
    if (result.repeated) return [{ kind: 'judged', decision }];
    const call = this.#asked(namedBy(result).requestKey);
    const denied = result.accepted && result.decision.decision === 'deny';
    return [
      { kind: 'judged', decision, ...(call && { call }) },
      ...(call && denied ? this.#end(call, { status: 'denied' }) : []),
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

  /** The call whose request this is. A decision may name a request of another run, or none. */
  #asked(requestKey: string | undefined): BuildingCall | undefined {
    const call = this.#byRequestKey(requestKey);
    const checked = call?.validation?.value.requestKey;
    return checked !== undefined && requestKey?.startsWith(checked) ? call : undefined;
  }

  #byRequestKey(requestKey: string | undefined): BuildingCall | undefined {
    const [, turn, index] = /:(\d+):(\d+):[0-9a-f-]{36}(?::[0-9a-f-]{36})?$/.exec(requestKey ?? '') ?? [];
    return this.#calls.get(`${String(turn)}:${String(index)}`);
  }
}

/** Which decision a verdict is over, as far as that had a name. */
function namedBy(
  verdict: Exclude<DecisionVerdict, { repeated: true }>,
): Pick<Extract<DecisionVerdict, { accepted: false }>, 'decisionId' | 'requestKey'> {
  return verdict.accepted ? verdict.decision : verdict;
}

function decisionIdIn(payload: unknown): string | undefined {
  return isJsonObject(payload) && typeof payload.decisionId === 'string' ? payload.decisionId : undefined;
}

function nameOf({ turn, index }: CallKey): string {
  return `${String(turn)}:${String(index)}`;
}
