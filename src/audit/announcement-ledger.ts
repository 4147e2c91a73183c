import type { Building } from './building.js';
import type { CallRecord, AnnouncementRecord, Place } from './timeline.js';
import { isAnnounceRequestInput } from './recognise.js';

export type AnnouncementChange = {
  /** `announcing`: a webhook is about to be told. `announced`: it was, or will not be. */
  readonly kind: 'announcing' | 'announced';
  readonly announcement: AnnouncementRecord;
  readonly call: CallRecord;
};

/** What webhooks were told of requests, as the events tell of it (`hitl:notify`). */
export class AnnouncementLedger {
  readonly records: AnnouncementRecord[] = [];
  /** Those of the execution at hand that have not ended, by the event that scheduled them. */
  readonly #underWay = new Map<
    number,
    { readonly record: Building<AnnouncementRecord>; readonly call: CallRecord }
  >();

  /** Undefined for what cannot be read. */
  schedule(
    input: unknown,
    callOf: (key: AnnouncementRecord['key']) => CallRecord | undefined,
    scheduled: Place,
  ): readonly AnnouncementChange[] | undefined {
    if (!isAnnounceRequestInput(input)) return undefined;
    const { type, request } = input.announcement;
    const call = callOf(request.call);
    if (!call) return undefined;
    const record: Building<AnnouncementRecord> = {
      type,
      webhook: input.webhook,
      key: request.call,
      scheduled,
      attempts: 0,
    };
    this.records.push(record);
    this.#underWay.set(scheduled.eventId, { record, call });
    return [{ kind: 'announcing', announcement: record, call }];
  }

  attempt(scheduledId: number, attempt: number): void {
    const found = this.#underWay.get(scheduledId);
    if (found) found.record.attempts = attempt;
  }

  /** Nothing for an activity that is no announcement. */
  end(scheduledId: number, delivered: boolean, ended: Place): readonly AnnouncementChange[] {
    const found = this.#underWay.get(scheduledId);
    if (!found) return [];
    this.#underWay.delete(scheduledId);
    const { record, call } = found;
    Object.assign(record, { ended, delivered });
    return [{ kind: 'announced', announcement: record, call }];
  }

  /** Another execution begins, in which event ids begin anew. */
  continue(): void {
    this.#underWay.clear();
  }
}
