import { readdirSync, readFileSync } from 'node:fs';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { describe, expect, it } from 'vitest';
import type { HistoryEvent } from '../../../src/audit/history-event.js';
import {
  budgetsOf,
  isAccepted,
  refusalOf,
  timelineOf,
  type CallRecord,
} from '../../../src/audit/timeline.js';
import { TimelineFold } from '../../../src/audit/timeline-fold.js';
import type { AgentRunInput } from '../../../src/contract/run.js';
import { payloadConverter } from '../../../src/contract/payload-converter.js';
import { markers, scheduled } from '../../harness/history.js';

/** The events of recorded runs, one file after another. */
function recorded(...names: readonly string[]): HistoryEvent[] {
  return names.flatMap((name) => {
    const json: unknown = JSON.parse(readFileSync(`test/replay/histories/0.1.0/${name}.json`, 'utf8'));
    return historyFromJSON(json).events ?? [];
  });
}

/** A call in one line: tool, verdicts, decisions, why it ran, how it ended. */
function told({ proposed, validation, guard, decisions, execution, outcome }: CallRecord): string {
  return [
    proposed.tool,
    validation?.value.valid === true ? 'valid' : 'invalid',
    guard ? (guard.value.allowed ? 'inside' : 'refused') : 'unguarded',
    ...decisions.map((record) => {
      const { via, decision } = record;
      const verdict = isAccepted(record) ? 'counted' : refusalOf(record)?.code;
      return `${decision?.decision} of ${decision?.approver} by ${via}: ${verdict}`;
    }),
    execution?.authorization.kind ?? 'not run',
    [outcome?.status, outcome?.code].filter(Boolean).join(' '),
  ].join(', ');
}

const refusedRead = 'read, valid, refused, not run, error path_refused';
const read = 'read, valid, inside, free, ok';
const RUNS: readonly [name: string, calls: readonly string[], end: string][] = [
  ['free', [read, refusedRead], 'done'],
  ['approved', ['effect, valid, inside, approve of ada by signal: counted, decision, ok'], 'done'],
  [
    'edited',
    [
      'effect, valid, inside, edit of ada by update: edit_invalid, edit of ada by update: counted, decision, ok',
    ],
    'done',
  ],
  ['denied', ['effect, valid, inside, deny of ada by update: counted, not run, denied'], 'done'],
  ['expired', ['effect, valid, inside, not run, expired'], 'done'],
  ['budget-exhausted', [refusedRead, refusedRead, refusedRead], 'budget_exhausted'],
  ['repeated', [read, read, 'read, valid, unguarded, not run, error repeated_call'], 'done'],
  ['cancelled', ['effect, valid, inside, not run, cancelled'], 'cancelled'],
  [
    'granted',
    [
      'effect, valid, inside, approve of ada by update: counted, decision, ok',
      'effect, valid, inside, grant, ok',
    ],
    'done',
  ],
  [
    'parallel',
    [
      'effect, valid, inside, approve of ada by update: counted, decision, ok',
      'free, valid, inside, free, ok',
      'effect, valid, inside, approve of ada by update: counted, decision, ok',
    ],
    'done',
  ],
];

describe('a timeline', () => {
  it.each(RUNS)(
    'tells every call, decision and outcome of a run: %s [audit:timeline]',
    (name, calls, end) => {
      const timeline = timelineOf(recorded(name));
      expect(timeline.turns.flatMap((turn) => turn.calls).map(told)).toEqual(calls);
      expect(timeline.end?.status === 'completed' ? timeline.end.result?.status : timeline.end?.status).toBe(
        end,
      );
      expect(timeline.unreadable).toEqual([]);
    },
  );

  it('tells a run over all its continuations [audit:timeline]', () => {
    const timeline = timelineOf(
      recorded('continued-as-new', ...[1, 2, 3, 4, 5].map((n) => `continued-as-new.${String(n)}`)),
    );
    expect(timeline.turns.map((turn) => [turn.scheduled.continuation, ...turn.calls.map(told)])).toEqual([
      [0, 'read, valid, inside, free, ok'],
      [3, refusedRead],
      [5],
    ]);
    expect(timeline.end).toMatchObject({ status: 'completed', result: { turns: 2 }, continuation: 5 });
    expect(timeline.manifest?.budgets.maxTurns).toBe(100);
  });

  it.each(readdirSync('test/replay/histories/0.1.0').map((file) => file.replace(/\.json$/, '')))(
    'reads every event of a run that nobody tampered with: %s [audit:timeline]',
    (name) => {
      expect(timelineOf(recorded(name)).unreadable).toEqual([]);
    },
  );

  it.each([
    ['cleared, as the SDK does it', 'binary/null', undefined, [null], 0],
    ['null', 'json/plain', 'null', [null], 0],
    ['no budget', 'json/plain', '"other"', [], 1],
    ['not JSON', 'json/plain', '{', [], 1],
    ['of no encoding', undefined, 'null', [], 1],
  ])(
    'reads a memo that is %s as what it is [audit:timeline] [budget:exhausted]',
    (_what, encoding, data, budgets, unreadable) => {
      const bytes = (text: string) => new TextEncoder().encode(text);
      const fields = {
        exhausted: {
          metadata: encoding === undefined ? {} : { encoding: bytes(encoding) },
          ...(data !== undefined && { data: bytes(data) }),
        },
      };
      const fold = new TimelineFold();
      const changes = fold.add({ workflowPropertiesModifiedEventAttributes: { upsertedMemo: { fields } } });
      expect(changes.map((change) => 'budget' in change && change.budget)).toEqual(budgets);
      expect(fold.timeline.unreadable).toHaveLength(unreadable);
    },
  );

  it('tells who extended the budgets, what and when, and which budgets hold since [audit:timeline] [budget:exhausted]', () => {
    const timeline = timelineOf(recorded('budget-extended'));
    expect(timeline.extensions).toEqual([
      { by: 'op', add: { maxConsecutiveErrors: 1 }, accepted: expect.objectContaining({ continuation: 0 }) },
    ]);
    expect(budgetsOf(timeline)).toMatchObject({ maxConsecutiveErrors: 4, maxErrors: 10 });
    expect(timeline.manifest?.budgets).toMatchObject({ maxConsecutiveErrors: 3 });
  });

  it('tells the extensions of before when only a continuation is left [audit:timeline]', () => {
    const events = recorded('continued-as-new.1');
    const [payload] = events[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const input = payload && payloadConverter.fromPayload<AgentRunInput>(payload);
    const extensions = [{ by: 'op', add: { maxTurns: 5 } }];
    const carried = input?.carried && { ...input.carried, state: { ...input.carried.state, extensions } };
    Object.assign(payload ?? {}, payloadConverter.toPayload({ ...input, carried }));
    const timeline = timelineOf(events);
    expect(timeline.extensions).toEqual(extensions);
    expect(budgetsOf(timeline)?.maxTurns).toBe(105);
  });

  it.each([
    ['of what caps nothing', 'budget-extended', { maxTokens: 5 }, []],
    ['once the run ends for it', 'budget-exhausted', { maxErrors: 5 }, []],
    ['while it waits', 'budget-extended', { maxErrors: 5 }, [{ maxErrors: 5 }]],
  ])(
    'takes an extension by signal %s for what the run made of it [audit:timeline] [budget:exhausted]',
    (_when, name, add, counted) => {
      const signal = {
        workflowExecutionSignaledEventAttributes: {
          signalName: 'control',
          input: { payloads: [payloadConverter.toPayload({ action: 'extendBudget', by: 'op', add })] },
        },
      };
      const events = recorded(name)
        .filter((event) => !event.workflowExecutionUpdateAcceptedEventAttributes)
        .flatMap((event) => {
          const { fields } = event.workflowPropertiesModifiedEventAttributes?.upsertedMemo ?? {};
          return fields?.exhausted?.data?.length ? [event, signal] : [event];
        });
      expect(timelineOf(events).extensions.map((extension) => extension.add)).toEqual(counted);
    },
  );

  it('knows manifest and continuation of a run whose beginning is gone [audit:timeline]', () => {
    const timeline = timelineOf(recorded('continued-as-new.1'));
    expect(timeline.started?.continuation).toBe(1);
    expect(timeline.manifest?.tools.map((tool) => tool.name)).toContain('read');
    expect(timeline.unreadable).toEqual([]);
  });

  it('tells a turn that began before the part that is left [audit:timeline] [run:continue-as-new]', () => {
    const whole = [1, 2, 3, 4, 5, 6].map((n) => `continued-in-turn.${String(n)}`);
    const known = [
      'read, valid, inside, free, ok',
      'effect, valid, inside, approve of ada by update: counted, approve of bob by update: counted, decision, ok',
    ];
    const calls = (names: readonly string[]) => {
      const { turns, unreadable } = timelineOf(recorded(...names));
      expect(unreadable).toEqual([]);
      return turns.flatMap((turn) => turn.calls).map(told);
    };
    expect(calls(['continued-in-turn', ...whole])).toEqual(known);
    for (const from of whole.keys()) expect(calls(whole.slice(from)).length).toBeLessThanOrEqual(2);
    expect(calls(whole)).toEqual(known);
  });

  it('names the events of verdicts and execution, in their order, and what really ran [audit:timeline]', () => {
    const events = recorded('edited');
    const [call] = timelineOf(events).turns.flatMap((turn) => turn.calls);
    const [validated] = markers({ events }, 'validateToolCall');
    const [guarded] = markers({ events }, 'guardPaths');
    const [executed] = scheduled({ events }, 'executeTool');
    const judged = markers({ events }, 'validateApproval').map((marker) => marker.eventId);
    expect(call?.validation?.eventId).toBe(validated?.eventId);
    expect(call?.guard?.eventId).toBe(guarded?.eventId);
    expect(call?.decisions.map((decision) => decision.verdict?.eventId)).toEqual(judged);
    expect(call?.execution?.scheduled.eventId).toBe(executed?.eventId);
    expect(call?.proposed.argsText).toBe('{"line":"x"}');
    expect(call?.execution).toMatchObject({ args: { line: 'y' }, attempts: 1, end: { status: 'ok' } });
    expect(call?.execution?.ended?.at).toBeGreaterThanOrEqual(call?.execution?.scheduled.at ?? Infinity);
  });

  it.each(['missing', 'not JSON', 'other JSON'] as const)(
    'reads on when a value is %s, and names the event [audit:timeline]',
    (how) => {
      for (const [index, event] of recorded('edited').entries()) {
        const events = recorded('edited');
        const damaged = damage(event, how);
        if (!damaged) continue;
        events[index] = damaged;
        const { turns, decisions, end, unreadable } = timelineOf(events);
        expect(turns.length).toBeGreaterThan(0);
        const named = unreadable.some((place) => place.eventId === Number(event.eventId));
        const noDecision = decisions.some((d) => d.arrived.eventId === Number(event.eventId) && !d.decision);
        const noResult = end?.eventId === Number(event.eventId) && !('result' in end);
        expect([Number(event.eventId), named || noDecision || noResult]).toEqual([
          Number(event.eventId),
          true,
        ]);
      }
    },
  );

  it('keeps what arrived as a decision and was none [audit:timeline]', () => {
    const [first, ...rest] = recorded('approved');
    const hostile = [null, new Uint8Array([0xff, 0xfe]), new TextEncoder().encode('[[[')].map((data) => ({
      ...first,
      workflowExecutionStartedEventAttributes: null,
      workflowExecutionSignaledEventAttributes: { signalName: 'approval', input: { payloads: [{ data }] } },
    }));
    const timeline = timelineOf([...(first ? [first] : []), ...hostile, ...rest]);
    expect(timeline.decisions.map(({ decision }) => decision?.decision)).toEqual([
      undefined,
      undefined,
      undefined,
      'approve',
    ]);
    expect(timeline.turns.flatMap((turn) => turn.calls).map(told)).toEqual([
      'effect, valid, inside, approve of ada by signal: counted, decision, ok',
    ]);
  });

  it('knows a decision that came again, which counts only once [audit:timeline]', () => {
    const again = { repeated: true, answer: { counted: true, requestKey: 'k', decision: 'approve' } };
    const events = recorded('approved').flatMap((event) => {
      const marker = event.markerRecordedEventAttributes;
      const judged = markers({ events: [event] }, 'validateApproval').length > 0;
      if (event.workflowExecutionSignaledEventAttributes) return [event, event];
      const result = { payloads: [payloadConverter.toPayload(again)] };
      const details = { ...marker?.details, result };
      return judged ? [event, { ...event, markerRecordedEventAttributes: { ...marker, details } }] : [event];
    });
    const { decisions, turns, unreadable } = timelineOf(events);
    expect(decisions.map((record) => [isAccepted(record), refusalOf(record)])).toEqual([
      [true, undefined],
      [false, undefined],
    ]);
    expect(turns.flatMap((turn) => turn.calls).map(({ outcome }) => outcome)).toEqual([{ status: 'ok' }]);
    expect(unreadable).toEqual([]);
  });

  it('says with each event what it added, for those who watch', () => {
    const fold = new TimelineFold();
    const changes = recorded('denied').flatMap((event) => fold.add(event));
    expect(changes.map((change) => change.kind)).toEqual([
      'started',
      'prepared',
      'asked',
      'answered',
      'checked',
      'judged',
      'outcome',
      'asked',
      'answered',
      'ended',
    ]);
  });
});

/** The event with its first payload damaged, or undefined when it has none that a timeline reads. */
function damage(event: HistoryEvent, how: 'missing' | 'not JSON' | 'other JSON'): HistoryEvent | undefined {
  const read = [
    event.workflowExecutionStartedEventAttributes?.input,
    event.activityTaskScheduledEventAttributes?.activityType?.name === 'prepareRun'
      ? undefined
      : event.activityTaskScheduledEventAttributes?.input,
    event.activityTaskCompletedEventAttributes?.result,
    event.markerRecordedEventAttributes?.details?.result,
    event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.args,
    event.workflowExecutionCompletedEventAttributes?.result,
  ].find((payloads) => payloads);
  const payload = read?.payloads?.[0];
  if (!payload) return undefined;
  if (how === 'missing') payload.metadata = {};
  else payload.data = new TextEncoder().encode(how === 'not JSON' ? '{' : '{"other":1}');
  return event;
}
