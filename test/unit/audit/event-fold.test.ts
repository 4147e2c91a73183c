import { readdirSync, readFileSync } from 'node:fs';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { describe, expect, it } from 'vitest';
import { EventFold } from '../../../src/audit/event-fold.js';
import type { RunEvent } from '../../../src/contract/events.js';

const HISTORIES = 'test/replay/histories/0.1.0';

/** The events of recorded histories, a run's continuations one after another. */
function eventsOf(...names: readonly string[]): readonly RunEvent[] {
  const fold = new EventFold();
  return names.flatMap((name) => {
    const json: unknown = JSON.parse(readFileSync(`${HISTORIES}/${name}.json`, 'utf8'));
    return (historyFromJSON(json).events ?? []).flatMap((event) => fold.add(event));
  });
}

/** Every run that was recorded, with its continuations. */
const NAMES = readdirSync(HISTORIES).map((file) => file.replace(/\.json$/, ''));
/** Each run with all its executions, in their order. */
const HISTORY_CHAINS = NAMES.filter((name) => !/\.\d+$/.test(name)).map((name) => [
  name,
  ...NAMES.filter((other) => other.startsWith(`${name}.`)).toSorted(),
]);

const numbered = (events: readonly RunEvent[]) => events.map(({ seq, type }) => `${seq} ${type}`);

describe('the events of a history', () => {
  // Whoever kept a number reads on from it after an upgrade: these lists are pins, and change for no reason.
  it.each<[name: string, events: readonly string[]]>([
    [
      'edited',
      [
        '1 run_start',
        '2 run_prepared',
        '3 turn_start',
        '4 model_answered',
        '5 tool_checked',
        '6 approval_requested',
        '7 approval_refused',
        '8 approval_decided',
        '9 tool_execution_start',
        '10 tool_execution_end',
        '11 turn_end',
        '12 turn_start',
        '13 model_answered',
        '14 turn_end',
        '15 run_end',
      ],
    ],
    [
      'expired',
      [
        '1 run_start',
        '2 run_prepared',
        '3 turn_start',
        '4 model_answered',
        '5 tool_checked',
        '6 approval_requested',
        '7 approval_expired',
        '8 tool_not_executed',
        '9 turn_end',
        '10 turn_start',
        '11 model_answered',
        '12 turn_end',
        '13 run_end',
      ],
    ],
  ])('have the numbers that others keep: %s [events:stream]', (name, events) => {
    expect(numbered(eventsOf(name))).toEqual(events);
  });

  it('go on being numbered in a continuation [events:stream]', () => {
    const all = numbered(eventsOf('continued-as-new', 'continued-as-new.1', 'continued-as-new.2'));
    expect(all.map((event) => Number.parseInt(event, 10))).toEqual(all.map((_event, index) => index + 1));
    expect(all.filter((event) => event.endsWith('run_continued'))).toHaveLength(2);
    expect(all.filter((event) => /run_start|run_prepared/.test(event))).toHaveLength(2);
  });

  it('ask nobody about a call that a grant covers [events:stream]', () => {
    const asked = eventsOf('granted').filter(({ type }) => type === 'approval_requested');
    expect(asked).toHaveLength(1);
  });

  it('tell of a request that was announced twice, of its escalation and of nothing else anew [events:stream] [hitl:escalate]', () => {
    const told = eventsOf('escalated').filter(({ type }) => type.startsWith('approval_'));
    const announced = { type: 'approval_announced', webhook: 'ops', delivered: true, attempts: 1 };
    expect(told).toMatchObject([
      { type: 'approval_requested' },
      { ...announced, announcement: 'approval.requested' },
      { type: 'approval_escalated' },
      { ...announced, announcement: 'approval.escalated' },
      { type: 'approval_decided', approver: 'bob' },
    ]);
  });

  it('ask nobody about a call that the policy denies [events:stream]', () => {
    const types = eventsOf('denied-by-policy').map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('approval_'))).toEqual(['approval_denied_by_policy']);
  });

  it.each(HISTORY_CHAINS)('end each call of a turn exactly once: %j [events:stream]', (...names) => {
    const events = eventsOf(...names);
    const ends = events.flatMap((event) =>
      event.type === 'tool_execution_end' || event.type === 'tool_not_executed'
        ? [`${event.turn}.${event.index}`]
        : [],
    );
    const calls = events.flatMap((event) =>
      event.type === 'model_answered' ? event.toolNames.map((_name, index) => `${event.turn}.${index}`) : [],
    );
    expect(events.at(-1)?.type).toBe('run_end');
    expect(ends.toSorted()).toEqual(calls.toSorted());
  });
});
