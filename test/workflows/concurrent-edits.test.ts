import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { failedWorkflowTasks, scheduled, toldToModel } from '../harness/history.js';

const LINES = Array.from({ length: 100 }, (_none, index) => `line ${String(index + 1)} of the file`);
const files = { 'f.txt': `${LINES.join('\n')}\n` };
const change = (path: string, line: number) => ({
  tool: 'edit',
  args: { path, edits: [{ oldText: `line ${String(line)} of`, newText: `LINE ${String(line)} of` }] },
});
/** Three spellings of one file. */
const calls = [change('f.txt', 50), change('./f.txt', 75), change('link', 90)];
const approve = { decision: 'approve', approver: 'ada' } as const;

async function withEdits(
  script: readonly { readonly calls: typeof calls }[],
  body: (agent: TestAgent, runId: string) => Promise<void>,
): Promise<void> {
  const options = { enableWriteTools: true, files, script: [...script, { text: 'done' }] };
  await withAgent({ ...options, budgets: { maxRepeats: 0 } }, async (agent) => {
    await symlink('f.txt', join(agent.workspace, 'link'));
    const runId = await agent.start();
    await body(agent, runId);
    expect(failedWorkflowTasks(await agent.history(runId))).toBe(0);
  });
}

const changed = async ({ workspace }: TestAgent): Promise<readonly string[]> =>
  (await readFile(join(workspace, 'f.txt'), 'utf8')).split('\n').filter((line) => line.startsWith('LINE'));

describe('edits of one file by three spellings in one turn', () => {
  it('all stand in it when a grant covers them [builtin:concurrent] [hitl:grants] [H30]', async () => {
    await withEdits([{ calls: [change('f.txt', 1)] }, { calls }], async (agent, runId) => {
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, { ...approve, scope: 'run' }));
      await agent.client.result(runId);
      expect(toldToModel(await agent.history(runId)).map(({ status }) => status)).toEqual(
        Array(4).fill('ok'),
      );
      expect(await changed(agent)).toEqual([1, 50, 75, 90].map((line) => `LINE ${String(line)} of the file`));
    });
  });

  it('that a person saw before the first of them ran say that they did not run, and none is falsely ok [builtin:concurrent] [hitl:preview] [H30]', async () => {
    await withEdits([{ calls }, { calls: calls.slice(1, 2) }], async (agent, runId) => {
      const { client } = agent;
      const pending = await vi.waitFor(
        async () => {
          const waiting = await client.pending(runId);
          expect(waiting).toHaveLength(3);
          return waiting;
        },
        { timeout: 30_000, interval: 50 },
      );
      for (const request of pending.toReversed()) await client.decide(runId, decisionFor(request, approve));
      const again = await vi.waitFor(
        async () => {
          const [request] = await client.pending(runId);
          if (request?.call.turn !== 1) throw new Error('not asked again yet');
          return request;
        },
        { timeout: 30_000, interval: 50 },
      );
      const [only, ...others] = await changed(agent);
      expect(others).toEqual([]);
      await client.decide(runId, decisionFor(again, approve));
      await client.result(runId);
      const told = scheduled(await agent.history(runId), 'callModel').flatMap(
        ({ input }) => (input as { append: { status?: string; code?: string }[] }).append,
      );
      const ends = told.flatMap(({ status, code }) => (status === undefined ? [] : [code ?? status]));
      expect(ends.toSorted()).toEqual(['ok', 'ok', 'precondition_changed', 'precondition_changed']);
      expect(await changed(agent)).toEqual([only, 'LINE 75 of the file'].toSorted());
    });
  });
});

describe('edits of one file by two runs at once', () => {
  it('all stand in it: fifty, by several spellings [builtin:concurrent] [H30]', async () => {
    const spellings = ['f.txt', './f.txt', 'link', 'sub/../f.txt'];
    const isFirst = (messages: readonly object[]) => JSON.stringify(messages[0]).includes('"first"');
    // A grant comes from an edit of another file, lest one run's edit voids what the other's approver saw.
    const script = [
      ({ messages }: { messages: readonly object[] }) => {
        const edits = [{ oldText: 'x', newText: 'y' }];
        return { calls: [{ tool: 'edit', args: { path: `${isFirst(messages) ? 1 : 2}.txt`, edits } }] };
      },
      ({ messages }: { messages: readonly object[] }) => ({
        calls: Array.from({ length: 25 }, (_none, n) =>
          change(spellings[n % spellings.length] ?? '', 2 * n + (isFirst(messages) ? 1 : 2)),
        ),
      }),
      { text: 'done' },
    ];
    const options = { enableWriteTools: true, files: { ...files, '1.txt': 'x', '2.txt': 'x', 'sub/g': '' } };
    await withAgent({ ...options, script }, async (agent) => {
      await symlink('f.txt', join(agent.workspace, 'link'));
      const runs = await Promise.all([agent.start('first'), agent.start('second')]);
      for (const runId of runs) {
        const request = await agent.request(runId);
        await agent.client.decide(runId, decisionFor(request, { ...approve, scope: 'run' }));
      }
      for (const runId of runs) {
        expect(await agent.client.result(runId)).toMatchObject({ calls: 26, budget: { errors: 0 } });
        expect(failedWorkflowTasks(await agent.history(runId))).toBe(0);
      }
      expect(await changed(agent)).toHaveLength(50);
    });
  });
});
