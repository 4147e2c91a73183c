import type { Building } from './building.js';
import type { RunState } from '../contract/run.js';
import type { CallKey } from '../contract/call.js';
import type { Control } from '../contract/control.js';
import type { Manifest, PreparedRun, StartRequest } from '../contract/manifest.js';
import { AnnouncementLedger } from './announcement-ledger.js';
import { CallLedger } from './call-ledger.js';
import { ControlLedger } from './control-ledger.js';
import { factOf, type HistoryEvent, type HistoryFact } from './history-event.js';
import {
  isAgentRunInput,
  isBudgetName,
  isCallModelInput,
  isCallModelResult,
  isExecuteToolInput,
  isPreparedRun,
} from './recognise.js';
import { runEndOf, unsettledOutcome } from './run-end.js';
import type { TimelineChange, TimelineStep } from './timeline-change.js';
import { budgetsOf, type Place, type RunEnd, type Timeline, type TurnRecord } from './timeline.js';

type Activity = 'prepareRun' | Building<TurnRecord> | CallKey;

/** Grows a timeline event by event; the first event to hold something says what it added. */
export class TimelineFold {
  readonly #turns: Building<TurnRecord>[] = [];
  readonly #calls = new CallLedger();
  readonly #unreadable: Place[] = [];
  /** Activities of the execution at hand, by the event that scheduled them. */
  readonly #activities = new Map<number, Activity>();
  readonly #controls = new ControlLedger();
  readonly #announcements = new AnnouncementLedger();
  #continuation = 0;
  #started: Place | undefined;
  #request: StartRequest | undefined;
  #manifest: Manifest | undefined;
  #end: RunEnd | undefined;

  /** The records so far. They go on growing with the fold. */
  get timeline(): Timeline {
    return {
      turns: this.#turns,
      decisions: this.#calls.decisions,
      unreadable: this.#unreadable,
      extensions: this.#controls.extensions,
      announcements: this.#announcements.records,
      ...(this.#started && { started: this.#started }),
      ...(this.#request && { request: this.#request }),
      ...(this.#manifest && { manifest: this.#manifest }),
      ...(this.#end && { end: this.#end }),
    };
  }

  add(event: HistoryEvent): readonly TimelineChange[] {
    const what = factOf(event);
    if (!what) return [];
    // A history that begins with a continuation says which one it is.
    if (what.kind === 'started' && isAgentRunInput(what.input)) {
      this.#continuation = what.input.carried?.state.continuations ?? 0;
    }
    const place = {
      continuation: this.#continuation,
      eventId: Number(event.eventId),
      at: millisecondsOf(event),
    };
    const changes = this.#read(what, place);
    if (!changes) this.#unreadable.push(place);
    return (changes ?? []).map((change) => ({ ...change, place }));
  }

  /** Undefined for what cannot be read. */
  #read(what: HistoryFact, place: Place): readonly TimelineStep[] | undefined {
    switch (what.kind) {
      case 'started':
        return this.#begin(what.input, place);
      case 'scheduled':
        return this.#schedule(what.activity, what.input, place);
      case 'attempt':
        return this.#attempt(what.scheduledId, what.attempt);
      case 'completed':
        return this.#complete(what.scheduledId, what.result, place);
      case 'lost':
      case 'failed':
      case 'cancelled':
        return [
          ...this.#announcements.end(what.scheduledId, false, place),
          ...this.#calls.stop(this.#callOf(what.scheduledId), what.kind, what.type, place),
        ];
      case 'local':
        return this.#calls.check(what.activity, what.result, place);
      case 'local_failed':
        return this.#calls.fail(what.activity, place);
      case 'decision':
        this.#calls.arrive(what.via, what.payload, place);
        return [];
      case 'control':
        return this.#control(what.payload, what.answered, place);
      case 'answer':
        return [
          ...this.#calls.answered(what.acceptedId, what.answer),
          ...controlled(this.#controls.answered(what.acceptedId, what.answer, place)),
        ];
      case 'continued':
        this.#activities.clear();
        this.#announcements.continue();
        return [{ kind: 'continued' }];
      case 'exhausted':
        return this.#exhaust(what.budget);
      case 'run_completed':
      case 'run_failed':
      case 'run_cancelled':
      case 'run_terminated':
      case 'run_timed_out':
        return this.#finish(runEndOf(what, place));
    }
  }

  #begin(input: unknown, place: Place): readonly TimelineStep[] | undefined {
    this.#started ??= place;
    if (!isAgentRunInput(input)) return undefined;
    this.#request ??= input.request;
    const { request, carried } = input;
    const started = { kind: 'started', request, ...(carried && { state: carried.state }) } as const;
    if (carried) {
      this.#controls.carried(carried.state);
      this.#resume(carried.state, place);
    }
    if (this.#manifest || !carried) return [started];
    return [started, this.#prepared(carried.prepared)];
  }

  /** Of a history whose beginning is gone, a turn may begin in the middle. */
  #resume(state: RunState, place: Place): void {
    const calls = this.#calls.resume(state, place);
    const { turn, underWay } = state;
    if (calls.length === 0 || !underWay) return;
    const { text, finishReason } = underWay;
    this.#turns.push({ turn, scheduled: place, attempts: 0, text, finishReason, usage: {}, calls });
  }

  #prepared({ manifest, manifestDigest }: PreparedRun): TimelineStep {
    this.#manifest = manifest;
    this.#calls.approvals = manifest.approvals;
    return { kind: 'prepared', manifest, manifestDigest };
  }

  #control(payload: unknown, answered: boolean, place: Place): readonly TimelineStep[] {
    if (!answered) return controlled(this.#controls.signalled(payload, budgetsOf(this.timeline), place));
    this.#controls.awaits(payload, place);
    return [];
  }

  #exhaust(budget: unknown): readonly TimelineStep[] | undefined {
    if (budget !== null && !isBudgetName(budget)) return undefined;
    this.#controls.exhausted(budget ?? undefined);
    const onExhausted = this.#manifest?.budgets.onExhausted;
    return [{ kind: 'exhausted', budget, ...(onExhausted && { onExhausted }) }];
  }

  #schedule(activity: string, input: unknown, place: Place): readonly TimelineStep[] | undefined {
    switch (activity) {
      case 'prepareRun':
        this.#activities.set(place.eventId, 'prepareRun');
        return [];
      case 'callModel': {
        if (!isCallModelInput(input)) return undefined;
        const turn = { turn: input.turn, scheduled: place, attempts: 0, text: '', usage: {}, calls: [] };
        this.#turns.push(turn);
        this.#controls.asked(input.tools);
        this.#activities.set(place.eventId, turn);
        return [...this.#calls.told(input.append), { kind: 'asked', turn }];
      }
      case 'executeTool':
        if (!isExecuteToolInput(input)) return undefined;
        this.#activities.set(place.eventId, input.call);
        return this.#calls.execute(input, place);
      case 'announceRequest':
        return this.#announcements.schedule(input, (key) => this.#calls.callOf(key), place);
      default:
        return [];
    }
  }

  #attempt(scheduledId: number, attempt: number): readonly TimelineStep[] {
    this.#announcements.attempt(scheduledId, attempt);
    const activity = this.#activities.get(scheduledId);
    if (!activity || activity === 'prepareRun') return [];
    if ('scheduled' in activity) activity.attempts = attempt;
    else this.#calls.attempt(activity, attempt);
    return [];
  }

  #complete(scheduledId: number, result: unknown, place: Place): readonly TimelineStep[] | undefined {
    const activity = this.#activities.get(scheduledId);
    if (!activity) return this.#announcements.end(scheduledId, true, place);
    if (activity === 'prepareRun') {
      if (!isPreparedRun(result)) return undefined;
      return [this.#prepared(result)];
    }
    if (!('scheduled' in activity)) return this.#calls.finish(activity, result, place);
    if (!isCallModelResult(result)) return undefined;
    activity.answered = place;
    activity.text = result.content.text;
    activity.finishReason = result.finishReason;
    activity.usage = result.usage;
    activity.calls = this.#calls.propose(activity.turn, result.content.calls);
    return [{ kind: 'answered', turn: activity }];
  }

  #finish(end: RunEnd): readonly TimelineStep[] {
    this.#end = end;
    const untold = 'result' in end ? this.#calls.untold(end.result?.untold ?? []) : [];
    return [...untold, ...this.#calls.close(unsettledOutcome(end)), { kind: 'ended', end }];
  }

  #callOf(scheduledId: number): CallKey | undefined {
    const activity = this.#activities.get(scheduledId);
    return typeof activity === 'object' && !('scheduled' in activity) ? activity : undefined;
  }
}

function controlled(control: Control | undefined): readonly TimelineStep[] {
  return control ? [{ kind: 'controlled', control }] : [];
}

function millisecondsOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds ?? 0) * 1000 + Math.round((eventTime?.nanos ?? 0) / 1e6);
}
