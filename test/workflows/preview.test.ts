import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decisionFor, type DecisionDraft } from '../../src/client.js';
import type { ExecuteToolInput } from '../../src/contract/activities.js';
import type { PreviewVerdict } from '../../src/contract/preview.js';
import { defineTool } from '../../src/registry/define-tool.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { failedWorkflowTasks, markers, outputs, scheduled } from '../harness/history.js';

const edit = { tool: 'edit', args: { path: 'a.txt', edits: [{ oldText: 'two', newText: '2' }] } };
const write = { tool: 'write', args: { path: 'a.txt', content: 'all new\n' } };
const fresh = { tool: 'write', args: { path: 'new/b.txt', content: 'b\n' } };
const approve: DecisionDraft = { decision: 'approve', approver: 'ada' };
const files = { 'a.txt': 'one\ntwo\nthree\n' };

type Call = typeof edit | typeof write;

/** Asks for one call, does what happens meanwhile, decides, and gives what became of it. */
async function decided(
  call: Call,
  meanwhile: (workspace: string) => Promise<unknown>,
  draft: DecisionDraft,
  body: (agent: TestAgent, runId: string) => Promise<void>,
): Promise<void> {
  const script = [{ calls: [call] }, { text: 'done' }];
  await withAgent({ enableWriteTools: true, files, script }, async (agent) => {
    const runId = await agent.start();
    const request = await agent.request(runId);
    await meanwhile(agent.workspace);
    await agent.client.decide(runId, decisionFor(request, draft));
    await agent.client.result(runId);
    await body(agent, runId);
    expect(failedWorkflowTasks(await agent.history(runId))).toBe(0);
  });
}

const text = (agent: TestAgent, path = 'a.txt') => readFile(join(agent.workspace, path), 'utf8');
const nothing = async (): Promise<void> => undefined;

describe('the preview of a call', () => {
  it.each([
    ['an edit', edit, ['-two', '+2'], 'one\n2\nthree\n'],
    ['a write', write, ['-one', '-two', '-three', '+all new'], 'all new\n'],
  ] as const)(
    'of %s is a diff that the request shows, and what runs when nothing has changed [hitl:preview]',
    async (_what, call, lines, after) => {
      const script = [{ calls: [call] }, { text: 'done' }];
      await withAgent({ enableWriteTools: true, files, script }, async (agent) => {
        const runId = await agent.start();
        const request = await agent.request(runId);
        const { preview } = request;
        expect(preview?.kind).toBe('diff');
        expect(preview?.text.split('\n').filter((line) => /^[-+](?![-+])/.test(line))).toEqual(lines);
        await agent.client.decide(runId, decisionFor(request, approve));
        await agent.client.result(runId);
        const events = await agent.history(runId);
        const [marker] = markers(events, 'previewToolCall').map(({ result }) => result as PreviewVerdict);
        expect(marker).toEqual({ requestKey: expect.any(String), argsDigest: request.argsDigest, preview });
        const [ran] = scheduled(events, 'executeTool').map(({ input }) => input as ExecuteToolInput);
        expect(ran?.authorization).toMatchObject({ basis: preview?.kind === 'diff' && preview.basis });
        expect(await text(agent)).toBe(after);
      });
    },
  );

  it('is not made for a tool that gives none, nor for a call that a grant covers [hitl:preview] [hitl:grants]', async () => {
    const script = [{ calls: [write] }, { calls: [fresh] }, { text: 'done' }];
    await withAgent({ enableWriteTools: true, files, script }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      await agent.client.decide(runId, decisionFor(request, { ...approve, scope: 'run' }));
      await agent.client.result(runId);
      expect(markers(await agent.history(runId), 'previewToolCall')).toHaveLength(1);
      expect(await text(agent, 'new/b.txt')).toBe('b\n');
    });
  });

  it('says that an edit would fail as the file is now, and lets the person decide [hitl:preview]', async () => {
    const nowhere = { tool: 'edit', args: { path: 'a.txt', edits: [{ oldText: 'four', newText: '4' }] } };
    const script = [{ calls: [nowhere] }, { text: 'done' }];
    await withAgent({ enableWriteTools: true, files, script }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      expect(request.preview).toMatchObject({ kind: 'text', text: expect.stringContaining('would fail') });
      await agent.client.decide(runId, decisionFor(request, approve));
      expect(await agent.client.result(runId)).toMatchObject({ budget: { errors: 1 } });
    });
  });
});

describe('a file that changed after its change was shown', () => {
  const changed: readonly (readonly [string, Call, (workspace: string) => Promise<unknown>])[] = [
    ['an edit of a line beside it', edit, (w) => writeFile(join(w, 'a.txt'), 'ONE\ntwo\nthree\n')],
    ['an edit of a file that is gone', edit, (w) => rm(join(w, 'a.txt'))],
    ['a write over other content', write, (w) => writeFile(join(w, 'a.txt'), 'precious\n')],
    [
      'a write of a new file that is there by now',
      fresh,
      async (w) => {
        await mkdir(join(w, 'new'));
        await writeFile(join(w, 'new', 'b.txt'), 'precious\n');
      },
    ],
  ];

  it.each(changed)(
    'stops %s: nothing is written, and it counts as an error [hitl:preview] [budget:errors]',
    async (_what, call, meanwhile) => {
      let before = '';
      const path = call.args.path;
      const look = async (workspace: string): Promise<void> => {
        await meanwhile(workspace);
        before = await readFile(join(workspace, path), 'utf8').catch(() => 'none');
      };
      await decided(call, look, approve, async (agent, runId) => {
        expect(await text(agent, path).catch(() => 'none')).toBe(before);
        const told = scheduled(await agent.history(runId), 'callModel').at(-1)?.input;
        expect(told).toMatchObject({ append: [{ status: 'error', code: 'precondition_changed' }] });
        expect((await agent.client.status(runId)).budget).toMatchObject({ errors: 1 });
      });
    },
  );

  it('stops an edit of the arguments too, which was made by what was shown [hitl:preview] [hitl:revalidated]', async () => {
    const args = { ...write.args, content: 'edited\n' };
    const draft: DecisionDraft = { decision: 'edit', approver: 'ada', args };
    const change = (w: string) => writeFile(join(w, 'a.txt'), 'precious\n');
    await decided(write, change, draft, async (agent, runId) => {
      expect(await text(agent)).toBe('precious\n');
      const told = scheduled(await agent.history(runId), 'callModel').at(-1)?.input;
      expect(told).toMatchObject({ append: [{ code: 'precondition_changed' }] });
    });
    await decided(write, nothing, draft, async (agent) => {
      expect(await text(agent)).toBe('edited\n');
    });
  });

  it('stops nothing when a person sends the call to another file [hitl:preview] [hitl:revalidated]', async () => {
    const draft: DecisionDraft = {
      decision: 'edit',
      approver: 'ada',
      args: { ...write.args, path: 'c.txt' },
    };
    await decided(write, nothing, draft, async (agent) => {
      expect(await text(agent, 'c.txt')).toBe('all new\n');
      expect(await text(agent)).toBe(files['a.txt']);
    });
  });
});

describe("a custom tool's preview", () => {
  const asked = { calls: [{ tool: 'deploy', args: {} }] };
  let version = 'v1';
  let ran = 0;
  const deploying = (preview: () => unknown) =>
    defineTool(
      { name: 'deploy', description: 'Deploys.', riskLevel: 'dangerous', parameters: { type: 'object' } },
      () => `ran ${String((ran += 1))}`,
      { preview: preview as never },
    );

  it.each([
    ['holds', 'v1', 1, 'ok'],
    ['has changed', 'v2', 0, 'error'],
  ] as const)('rests on what the tool names, which %s [hitl:preview]', async (_what, later, runs, status) => {
    version = 'v1';
    ran = 0;
    const tool = deploying(() => ({ kind: 'text', text: `Deploys ${version}.`, basis: version }));
    await withAgent({ customTools: [tool], script: [asked, { text: 'done' }] }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      expect(request.preview).toEqual({ kind: 'text', text: 'Deploys v1.', basis: 'v1' });
      version = later;
      await agent.client.decide(runId, decisionFor(request, approve));
      await agent.client.result(runId);
      expect(ran).toBe(runs);
      const told = scheduled(await agent.history(runId), 'callModel').at(-1)?.input;
      expect(told).toMatchObject({ append: [{ status }] });
    });
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no plan')), 'The tool failed: no plan'],
    ['gives no preview', () => 5, 'The preview gave nothing that can be shown.'],
    [
      'names nothing',
      () => ({ kind: 'text', text: 'x', basis: '' }),
      'The preview gave nothing that can be shown.',
    ],
  ])(
    'that %s is shown as failed, and the arguments alone are decided about [hitl:preview]',
    async (_what, preview, said) => {
      ran = 0;
      const options = { customTools: [deploying(preview)], script: [asked, { text: 'done' }] };
      await withAgent(options, async (agent) => {
        const runId = await agent.start();
        const request = await agent.request(runId);
        expect(request.preview).toEqual({ kind: 'failed', text: said });
        await agent.client.decide(runId, decisionFor(request, approve));
        await agent.client.result(runId);
        expect(ran).toBe(1);
      });
    },
  );

  it('that is gone by the time of execution lets nothing run that was approved by it [hitl:preview] [risk:pinned]', async () => {
    ran = 0;
    const tool = deploying(() => ({ kind: 'text', text: 'Deploys.', basis: 'x' }));
    await withAgent({ customTools: [tool], script: [asked, { text: 'done' }] }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      await agent.redeploy({ customTools: [{ def: tool.def, handler: tool.handler }] });
      await agent.client.decide(runId, decisionFor(request, approve));
      await agent.client.result(runId);
      expect(ran).toBe(0);
      const told = scheduled(await agent.history(runId), 'callModel').at(-1)?.input;
      expect(told).toMatchObject({ append: [{ status: 'error', code: 'precondition_changed' }] });
    });
  });

  it('that changes its arguments changes neither what is shown nor what runs [hitl:preview] [hitl:order]', async () => {
    const got: unknown[] = [];
    const tool = defineTool(
      {
        name: 'sort',
        description: 'Sorts.',
        riskLevel: 'mutation',
        parameters: {
          type: 'object',
          properties: { list: { type: 'array', items: { type: 'integer' } } },
          required: ['list'],
        },
      },
      (args) => {
        got.push([...args.list]);
        args.list.length = 0;
        return 'sorted';
      },
      {
        preview: ({ list }) => {
          list.push(list.shift() ?? 0);
          return { kind: 'text', text: `${list[0]} first`, basis: 'x' };
        },
      },
    );
    const call = { calls: [{ tool: 'sort', args: { list: [3, 1, 2] } }] };
    await withAgent({ customTools: [tool], script: [call, call, { text: 'done' }] }, async (agent) => {
      const runId = await agent.start();
      const first = await agent.request(runId);
      expect(first).toMatchObject({ args: { list: [3, 1, 2] }, preview: { text: '1 first' } });
      await agent.client.decide(runId, decisionFor(first, approve));
      const second = await agent.request(runId);
      const draft: DecisionDraft = { decision: 'edit', approver: 'ada', args: { list: [9, 8] } };
      await agent.client.decide(runId, decisionFor(second, draft));
      await agent.client.result(runId);
      expect(got).toEqual([
        [3, 1, 2],
        [9, 8],
      ]);
      expect(outputs(await agent.history(runId)).at(-1)).toContain('{"list":[9,8]}');
    });
  });

  it('is cut when it is large, and says so [hitl:preview] [run:payloads]', async () => {
    const tool = deploying(() => ({ kind: 'text', text: 'ä'.repeat(500_000), basis: 'x' }));
    await withAgent({ customTools: [tool], script: [asked, { text: 'done' }] }, async (agent) => {
      const runId = await agent.start();
      const request = await agent.request(runId);
      expect(request.preview?.text).toMatch(
        /^ä+\n\[The preview has 1000000 bytes; only its beginning is shown/,
      );
      expect(Buffer.byteLength(request.preview?.text ?? '')).toBeLessThan(66_000);
      await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
      await agent.client.result(runId);
      expect(scheduled(await agent.history(runId), 'executeTool')).toEqual([]);
    });
  });
});
