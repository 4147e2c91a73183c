import type { ApprovalPolicy } from '../contract/approval-policy.js';
import type { CallKey } from '../contract/call.js';
import type { RunEvent, RunEventBody } from '../contract/events.js';
import type { Grant } from '../contract/run.js';
import { permissionFor } from '../policy/risk.js';
import { bodiesOf, callIn, endBody } from './event-bodies.js';
import type { HistoryEvent } from './history-event.js';
import type { TimelineChange } from './timeline-change.js';
import { TimelineFold } from './timeline-fold.js';
import type { CallRecord } from './timeline.js';

/**
 * Projects a history on numbered events (`events:stream`): the same events in, the same events out, so that a
 * reader who begins anew finds the same numbers. Histories of continuations follow one another. A continuation
 * repeats nothing that its predecessor told.
 */
export class EventFold {
  readonly #fold = new TimelineFold();
  /** Requests that wait, as far as the history tells. */
  readonly #asked = new Set<CallRecord>();
  /** Calls that a grant covers, until they start. */
  readonly #granted = new Set<CallRecord>();
  readonly #escalated = new Set<CallRecord>();
  #grants: readonly Grant[] = [];
  #requireApprovalFor: readonly string[] = [];
  #approvals: ApprovalPolicy = {};
  #exhausted = false;
  /** The turn whose end is not told yet, once its model has answered. */
  #openTurn: number | undefined;
  #begun = false;
  #seq = 0;

  add(event: HistoryEvent): readonly RunEvent[] {
    return this.#fold.add(event).flatMap((change) =>
      this.#read(change).map((body) => {
        this.#seq += 1;
        return { seq: this.#seq, at: change.place.at, ...body };
      }),
    );
  }

  /** What the history says so far of a call that an event named. */
  callOf({ turn, index }: CallKey): CallRecord | undefined {
    return this.#fold.timeline.turns.findLast((record) => record.turn === turn)?.calls[index];
  }

  #read(change: TimelineChange): readonly RunEventBody[] {
    switch (change.kind) {
      case 'started':
        return this.#start(change);
      case 'prepared':
        this.#requireApprovalFor = change.manifest.requireApprovalFor;
        this.#approvals = change.manifest.approvals;
        return bodiesOf(change);
      case 'asked':
        return [...this.#turnEnd(), ...bodiesOf(change)];
      case 'answered':
        this.#openTurn = change.turn.turn;
        return bodiesOf(change);
      case 'checked':
        return [...bodiesOf(change), ...this.#request(change.call)];
      case 'judged':
        return this.#judged(change);
      case 'outcome':
        this.#granted.delete(change.call);
        return [...this.#unasked(change.call), ...bodiesOf(change)];
      case 'controlled': {
        const { control } = change;
        if (control.action !== 'revoke') return bodiesOf(change);
        // One by signal that named no grant was refused, and nobody was told.
        return this.#revoke(control.tool) ? [...bodiesOf(change), ...this.#askedAfterAll(control.tool)] : [];
      }
      case 'exhausted':
        this.#exhausted = change.budget !== null;
        return bodiesOf(change);
      case 'continued':
        // Whether its turn has ended is told by what its successor begins with.
        return [];
      case 'ended':
        return [...this.#turnEnd(), endBody(change.end)];
      case 'announcing': {
        const told = this.#escalated.has(change.call);
        const bodies = bodiesOf(change);
        // Each webhook is told of it.
        if (bodies.length > 0) this.#escalated.add(change.call);
        return told ? [] : bodies;
      }
      case 'announced':
        return bodiesOf(change);
      case 'executing':
        this.#granted.delete(change.call);
        return bodiesOf(change);
    }
  }

  #start({ state, ...change }: Extract<TimelineChange, { kind: 'started' }>): readonly RunEventBody[] {
    this.#grants = state?.grants ?? [];
    const begun = this.#begun;
    this.#begun = true;
    const within = state?.underWay !== undefined;
    if (!begun) {
      if (within) this.#openTurn = state.turn;
      return bodiesOf(change);
    }
    const ended = within ? [] : this.#turnEnd();
    return [...ended, { type: 'run_continued', continuation: change.place.continuation }];
  }

  #turnEnd(): readonly RunEventBody[] {
    const turn = this.#openTurn;
    this.#openTurn = undefined;
    return turn === undefined ? [] : [{ type: 'turn_end', turn }];
  }

  /** As the workflow decides it, by the same policy over the same record. */
  #request(call: CallRecord): readonly RunEventBody[] {
    const verdict = call.validation?.value;
    if (verdict?.valid !== true || this.#exhausted) return [];
    const { tool, riskLevel, argsDigest } = verdict;
    const permission = permissionFor(
      tool,
      riskLevel,
      this.#grants,
      this.#requireApprovalFor,
      this.#approvals,
    );
    if (permission.kind === 'deny') {
      return [{ type: 'approval_denied_by_policy', ...callIn(call), riskLevel, argsDigest }];
    }
    if (permission.kind === 'grant') this.#granted.add(call);
    if (permission.kind !== 'ask') return [];
    this.#asked.add(call);
    return [{ type: 'approval_requested', ...callIn(call), riskLevel, argsDigest }];
  }

  /** Calls that were to run by a grant and had not started when it was taken back. */
  #askedAfterAll(tool: string): readonly RunEventBody[] {
    const calls = [...this.#granted].filter((call) => call.validation?.value.tool === tool);
    return calls.flatMap((call) => {
      this.#granted.delete(call);
      return this.#request(call);
    });
  }

  #judged(change: Extract<TimelineChange, { kind: 'judged' }>): readonly RunEventBody[] {
    const { decision, call, grant } = change;
    if (call && decision.remaining === 0) this.#asked.delete(call);
    if (grant) {
      this.#revoke(grant.tool);
      this.#grants = [...this.#grants, grant];
    }
    return bodiesOf(change);
  }

  /** Whether there was a grant of the tool. */
  #revoke(tool: string): boolean {
    const before = this.#grants.length;
    this.#grants = this.#grants.filter((grant) => grant.tool !== tool);
    return this.#grants.length < before;
  }

  /** A request whose call ended undecided. */
  #unasked(call: CallRecord): readonly RunEventBody[] {
    if (!this.#asked.delete(call)) return [];
    const expired = call.outcome?.status === 'expired';
    return [{ type: expired ? 'approval_expired' : 'approval_withdrawn', ...callIn(call) }];
  }
}
