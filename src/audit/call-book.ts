import type { CallKey, ProposedCall } from '../contract/call.js';
import type { Building } from './building.js';
import type { CallRecord, DecisionRecord, ExecutionRecord } from './timeline.js';

/** A call whose record still grows. */
export interface BuildingCall extends Building<CallRecord> {
  decisions: DecisionRecord[];
  execution?: Building<ExecutionRecord>;
}

/** The calls of a run, by all the names that events have for them. */
export class CallBook {
  readonly #calls = new Map<string, BuildingCall>();

  get all(): readonly BuildingCall[] {
    return [...this.#calls.values()];
  }

  propose(turn: number, proposed: readonly ProposedCall[]): readonly CallRecord[] {
    return proposed.map((call, index) => {
      const record: BuildingCall = { key: { turn, index }, proposed: call, decisions: [] };
      this.#calls.set(nameOf(record.key), record);
      return record;
    });
  }

  /** Takes in what a continuation was told of a call; false when its own events were read. */
  resume(call: BuildingCall): boolean {
    if (this.byKey(call.key)) return false;
    this.#calls.set(nameOf(call.key), call);
    return true;
  }

  byKey(key: CallKey): BuildingCall | undefined {
    return this.#calls.get(nameOf(key));
  }

  /** The call that was checked under this key. */
  byRequestKey(requestKey: string | undefined): BuildingCall | undefined {
    const [, turn, index] = /:(\d+):(\d+):[0-9a-f-]{36}(?::[0-9a-f-]{36})?$/.exec(requestKey ?? '') ?? [];
    return this.#calls.get(`${String(turn)}:${String(index)}`);
  }

  /** The call whose request this is. A decision may name a request of another run, or none. */
  asked(requestKey: string | undefined): BuildingCall | undefined {
    const call = this.byRequestKey(requestKey);
    const checked = call?.validation?.value.requestKey;
    return checked !== undefined && requestKey?.startsWith(checked) ? call : undefined;
  }
}

function nameOf({ turn, index }: CallKey): string {
  return `${String(turn)}:${String(index)}`;
}
