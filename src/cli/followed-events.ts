import { EventFold } from '../audit/event-fold.js';
import { followHistory } from '../audit/follow-history.js';
import type { CallRecord } from '../audit/timeline.js';
import type { HoldfastClient } from '../client.js';
import type { FollowOptions, RunEvent } from '../contract/events.js';

export interface FollowedEvent {
  readonly event: RunEvent;
  /** The call that the event is about, as far as the history tells of it by then. */
  readonly call?: CallRecord | undefined;
}

/**
 * The same events as `HoldfastClient.follow` gives, with what a person may see of their calls and no event holds
 * (`events:no-args`).
 */
export async function* followedEvents(
  { temporal }: HoldfastClient,
  runId: string,
  { from = 1, ...reading }: FollowOptions,
): AsyncGenerator<FollowedEvent, void> {
  const fold = new EventFold();
  for await (const recorded of followHistory(temporal, runId, reading)) {
    for (const event of fold.add(recorded)) {
      if (event.seq < from) continue;
      const key = 'index' in event ? event : 'call' in event ? event.call : undefined;
      yield { event, call: key && fold.callOf(key) };
    }
  }
}
