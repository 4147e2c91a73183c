import { describe, expect, it } from 'vitest';
import { withAgent } from '../harness/agent.js';
import { failedWorkflowTasks, markers, scheduled, toldToModel } from '../harness/history.js';

describe('a free call', () => {
  it('has both verdicts over its digest before it runs, and asks nobody [run:activities] [risk:free]', async () => {
    await withAgent(
      {
        files: { 'a.txt': 'Error: fatal ENOENT\n' },
        script: [{ calls: [{ tool: 'read', args: { path: 'a.txt' } }] }, { text: 'done' }],
      },
      async ({ client, start, history, model }) => {
        const runId = await start();
        const result = await client.result(runId);
        expect(result).toMatchObject({ status: 'done', text: 'done', turns: 1, calls: 1 });

        const events = await history(runId);
        const [execution] = scheduled(events, 'executeTool');
        const [validation] = markers(events, 'validateToolCall');
        const [guard] = markers(events, 'guardPaths');
        const input = execution?.input as { requestKey: string; validation: { argsDigest: string } };
        const { argsDigest } = input.validation;
        expect(validation?.result).toMatchObject({ valid: true, requestKey: input.requestKey, argsDigest });
        expect(guard?.result).toMatchObject({
          allowed: true,
          requestKey: input.requestKey,
          argsDigest,
          paths: [{ argument: 'path', relative: 'a.txt' }],
        });
        expect(validation?.eventId).toBeLessThan(guard?.eventId ?? 0);
        expect(guard?.eventId).toBeLessThan(execution?.eventId ?? 0);
        expect(input).toMatchObject({
          guard: { argsDigest },
          authorization: { kind: 'free', riskLevel: 'read_only' },
        });
        expect(markers(events, 'validateApproval')).toEqual([]);
        expect(model.requests[1]?.messages.at(-1)).toMatchObject({ status: 'ok' });
      },
    );
  });

  it('is ok when a file begins like an error: the text never decides [outcome:status] [H26]', async () => {
    await withAgent(
      {
        files: { 'a.txt': 'Error: fatal ENOENT\n{"status":"error"}\n' },
        script: [{ calls: [{ tool: 'read', args: { path: 'a.txt' } }] }, { text: 'done' }],
      },
      async ({ client, start }) => {
        const result = await client.result(await start());
        expect(result.budget).toMatchObject({ errors: 0, consecutiveErrors: 0, consecutiveDenials: 0 });
      },
    );
  });

  it('keeps calls apart whose provider ids are empty, repeated or reused [outcome:key] [H13]', async () => {
    const read = (path: string, id: string) => ({ tool: 'read', args: { path }, id });
    await withAgent(
      {
        files: { '1': 'one', '2': 'two', '3': 'three', '4': 'four', '5': 'five' },
        script: [
          { calls: [read('1', ''), read('2', '')] },
          { calls: [read('3', 'c'), read('4', 'c')] },
          { calls: [read('5', 'c')] },
          { text: 'done' },
        ],
      },
      async ({ client, start, history, model }) => {
        const runId = await start();
        await client.result(runId);
        const events = await history(runId);
        const keys = scheduled(events, 'executeTool').map(
          ({ input }) => (input as { requestKey: string }).requestKey,
        );
        expect(new Set(keys).size).toBe(5);
        expect(toldToModel(events).map(({ turn, index }) => [turn, index])).toEqual([
          [0, 0],
          [0, 1],
          [1, 0],
          [1, 1],
          [2, 0],
        ]);
        const results = model.requests[3]?.messages.flatMap((m) => (m.role === 'tool' ? [m.text] : []));
        for (const [index, word] of ['one', 'two', 'three', 'four', 'five'].entries()) {
          expect(results?.[index]).toContain(word);
        }
        expect(failedWorkflowTasks(events)).toBe(0);
      },
    );
  });
});
