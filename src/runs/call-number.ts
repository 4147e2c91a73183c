import type { Timeline } from '../audit/timeline.js';
import type { CallKey } from '../contract/call.js';
import type { RunEvent } from '../contract/events.js';

/** How a call is named wherever one is told or taken: turn and place in it from 1, such as `2.1`. */
export function callNumber({ turn, index }: CallKey): string {
  return `${String(turn + 1)}.${String(index + 1)}`;
}

/** The request with the number of its call. */
export function withNumber<T extends { readonly call: CallKey }>(
  request: T,
): T & { readonly number: string } {
  return { ...request, number: callNumber(request.call) };
}

/** The event with the number of its call, if it is about one, as `number`. */
export function numbered(event: RunEvent): RunEvent & { readonly number?: string } {
  const call = 'index' in event ? event : 'call' in event ? event.call : undefined;
  return { ...event, ...(call && { number: callNumber(call) }) };
}

/** The record with the number of each call, so that a program may name it as a person does. */
export function withNumbers({ turns, ...timeline }: Timeline) {
  const numbered = turns.map(({ calls, ...turn }) => ({
    ...turn,
    calls: calls.map((call) => ({ number: callNumber(call.key), ...call })),
  }));
  return { turns: numbered, ...timeline };
}
