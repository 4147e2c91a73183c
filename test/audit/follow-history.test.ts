import { describe, expect, it } from 'vitest';
import type { HistoryEvent } from '../../src/audit/history-event.js';
import { timelineOf } from '../../src/audit/timeline.js';
import { followHistory } from '../../src/audit/follow-history.js';
import { withAgent } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';

const read = { calls: [{ tool: 'read', args: { path: 'notes.txt' } }] };
const files = { 'notes.txt': 'x\n' };

describe('following a run', () => {
  it('gives the events of all its continuations, once each, and ends with the run', async () => {
    await withAgent(
      { script: [read, read, { text: 'done' }], files, continueAfterEvents: 1 },
      async (agent) => {
        const runId = await agent.start();
        const events: HistoryEvent[] = [];
        for await (const event of followHistory(agent.client.temporal, runId)) {
          events.push(event);
        }
        const begins = events.filter((event) => event.workflowExecutionStartedEventAttributes);
        expect(begins.length).toBeGreaterThan(2);
        expect(new Set(begins.map((event) => Number(event.eventId)))).toEqual(new Set([1]));
        const ids = events.map((event) => Number(event.eventId));
        expect(ids).toEqual(ids.map((id, index) => (id === 1 ? 1 : (ids[index - 1] ?? NaN) + 1)));
        const timeline = timelineOf(events);
        expect(timeline.turns.map(({ turn }) => turn)).toEqual([0, 1, 2]);
        expect(timeline.end).toMatchObject({ status: 'completed', continuation: begins.length - 1 });
      },
    );
  });

  it('gives the events of a run that waits, and ends when it is told to', async () => {
    const script = [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }];
    await withAgent({ script, customTools: [effectTool('effect', 'mutation')] }, async (agent) => {
      const runId = await agent.start();
      const stop = new AbortController();
      const seen: HistoryEvent[] = [];
      for await (const event of followHistory(agent.client.temporal, runId, { signal: stop.signal })) {
        seen.push(event);
        if (event.timerStartedEventAttributes) stop.abort();
      }
      expect(timelineOf(seen).end).toBeUndefined();
      expect(timelineOf(seen).turns.flatMap((turn) => turn.calls)[0]?.guard?.value.allowed).toBe(true);
      await agent.client.cancel(runId);
      await agent.client.result(runId).catch(() => undefined);
    });
  });
});
