import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { withAgent, type TestAgentOptions } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { withApi, type TestApi } from './harness.js';

const write = (path: string): TestAgentOptions => ({
  enableWriteTools: true,
  files: { 'a.txt': 'old\n', 'b.txt': 'other\n' },
  script: [{ calls: [{ tool: 'write', args: { path, content: 'new\n' } }] }, { text: 'done' }],
});

interface Asked {
  readonly api: TestApi;
  readonly state: (runId: string, requestKey: string) => Promise<unknown>;
}

function withQuestions(client: Parameters<typeof withApi>[0], body: (asked: Asked) => Promise<void>) {
  return withApi(client, async (api) => {
    const state: Asked['state'] = async (runId, requestKey) => {
      const path = `/runs/${runId}/approvals/${encodeURIComponent(requestKey)}/preview`;
      const { status, body: answer } = await api.ask('GET', path, undefined, { as: 'approver' });
      return status === 200 ? answer.state : answer.code;
    };
    await body({ api, state });
  });
}

describe('whether a preview still holds', () => {
  it('is told by the worker that has the files, as they are at that moment, and leaves no event in the run [hitl:preview] [api:page]', async () => {
    await withAgent(write('a.txt'), async (agent) => {
      await withQuestions(agent.client, async ({ state }) => {
        const runId = await agent.start();
        const { requestKey } = await agent.request(runId);
        const events = (await agent.history(runId)).events?.length;
        const file = join(agent.workspace, 'a.txt');
        expect(await state(runId, requestKey)).toBe('same');
        await writeFile(file, 'precious\n');
        expect(await state(runId, requestKey)).toBe('changed');
        await rm(file);
        expect(await state(runId, requestKey)).toBe('changed');
        await writeFile(file, 'old\n');
        expect(await state(runId, requestKey)).toBe('same');
        expect((await agent.history(runId)).events).toHaveLength(events ?? 0);
        await agent.client.cancel(runId);
      });
    });
  });

  it('is no when its file has become a link that leads outside, even to the same bytes [hitl:preview] [path:at-use]', async () => {
    await withAgent(write('a.txt'), async (agent) => {
      const outside = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
      try {
        await withQuestions(agent.client, async ({ state }) => {
          const runId = await agent.start();
          const { requestKey } = await agent.request(runId);
          await rename(join(agent.workspace, 'a.txt'), join(outside, 'a.txt'));
          await symlink(join(outside, 'a.txt'), join(agent.workspace, 'a.txt'));
          expect(await state(runId, requestKey)).toBe('changed');
          await agent.client.cancel(runId);
        });
      } finally {
        await rm(outside, { recursive: true, force: true });
      }
    });
  });

  it('is asked of the arguments that a person put in place of those proposed [hitl:preview] [hitl:quorum]', async () => {
    const options = { ...write('a.txt'), approvals: { quorum: { mutation: 2 } } };
    await withAgent(options, async (agent) => {
      await withQuestions(agent.client, async ({ state }) => {
        const runId = await agent.start();
        const request = await agent.request(runId);
        const args = { path: 'b.txt', content: 'edited\n' };
        await agent.client.decide(runId, decisionFor(request, { decision: 'edit', approver: 'ada', args }));
        await writeFile(join(agent.workspace, 'a.txt'), 'another\n');
        expect(await state(runId, request.requestKey)).toBe('same');
        await writeFile(join(agent.workspace, 'b.txt'), 'another\n');
        expect(await state(runId, request.requestKey)).toBe('changed');
        await agent.client.cancel(runId);
      });
    });
  });

  it('is no question for a call that shows no preview, nor for a request that is over [hitl:preview] [hitl:stale]', async () => {
    const script = [{ calls: [{ tool: 'effect', args: { line: 'one' } }] }, { text: 'done' }];
    await withAgent({ customTools: [effectTool('effect', 'mutation')], script }, async (agent) => {
      await withQuestions(agent.client, async ({ state }) => {
        const runId = await agent.start();
        const request = await agent.request(runId);
        expect(await state(runId, request.requestKey)).toBe('none');
        await agent.client.decide(runId, decisionFor(request, { decision: 'deny', approver: 'ada' }));
        await agent.client.result(runId);
        expect(await state(runId, request.requestKey)).toBe('request_decided');
      });
    });
  });
});
