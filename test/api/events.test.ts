import { describe, expect, it } from 'vitest';
import { revokeToken } from '../../src/api/issue-token.js';
import { decisionFor } from '../../src/client.js';
import { withAgent, type TestAgent, type TestAgentOptions } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { withApi, type TestApi } from './harness.js';

const asking: TestAgentOptions = {
  customTools: [effectTool('effect', 'mutation')],
  script: [{ calls: [{ tool: 'effect', args: { line: 'one' } }] }, { text: 'Over.' }],
};

interface Frame {
  readonly id: number;
  readonly event: string;
  readonly data: { readonly seq: number; readonly type: string };
}

function framesIn(text: string): readonly Frame[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('id: '))
    .map((frame) => {
      const [, id, event, data = ''] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
      return { id: Number(id), event: String(event), data: JSON.parse(data) as Frame['data'] };
    });
}

/** Reads a stream over a real connection until what came fits, then goes away. */
async function readUntil(
  { api, tokens }: TestApi,
  path: string,
  enough: (text: string) => boolean,
): Promise<string> {
  const address = api.server.listening ? addressOf(api) : await api.listen({ host: '127.0.0.1', port: 0 });
  const leaving = new AbortController();
  const answer = await fetch(`${address}/v1${path}`, {
    headers: { authorization: `Bearer ${tokens.auditor}` },
    signal: leaving.signal,
  });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (enough(text)) break;
  }
  leaving.abort();
  return text;
}

function addressOf(api: TestApi['api']): string {
  const address = api.server.address();
  return typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
}

interface WaitingRun {
  readonly api: TestApi;
  readonly agent: TestAgent;
  readonly runId: string;
  /** Of its event stream. */
  readonly path: string;
}

/** A run that waits for a person, before an API whose streams show soon that they live. */
async function withWaitingRun(body: (run: WaitingRun) => Promise<void>): Promise<void> {
  await withAgent(asking, async (agent) => {
    await withApi(
      agent.client,
      async (api) => {
        const runId = await agent.start();
        await agent.request(runId);
        await body({ api, agent, runId, path: `/runs/${runId}/events` });
      },
      { heartbeatMs: 50 },
    );
  });
}

describe('the event stream of a run', () => {
  it('gives every event with its number, to the end of the run, without arguments [api:http] [events:stream] [events:no-args]', async () => {
    await withAgent(asking, async (agent) => {
      await withApi(agent.client, async (api) => {
        const runId = await agent.start();
        const following = api.ask('GET', `/runs/${runId}/events`, undefined, { as: 'auditor' });
        const request = await agent.request(runId);
        await agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'ada' }));
        const { status, headers, text } = await following;
        expect([status, String(headers['content-type']).split(';')[0]]).toEqual([200, 'text/event-stream']);
        const frames = framesIn(text);
        expect(frames.map(({ id }) => id)).toEqual(frames.map((_frame, at) => at + 1));
        expect(frames.every(({ id, event, data }) => data.seq === id && data.type === event)).toBe(true);
        expect([frames[0]?.event, frames.at(-1)?.event]).toEqual(['run_start', 'run_end']);
        expect(text).not.toContain('"one"');
      });
    });
  });

  it('goes on after Last-Event-ID, and ends with 204 when there is no more [api:http] [events:stream]', async () => {
    await withAgent({ ...asking, customTools: [effectTool('effect', 'safe')] }, async (agent) => {
      await withApi(agent.client, async (api) => {
        const runId = await agent.start();
        await agent.client.result(runId);
        const after = (id: string) =>
          api.ask('GET', `/runs/${runId}/events`, undefined, { headers: { 'last-event-id': id } });
        const all = framesIn((await after('')).text);
        expect(framesIn((await after('3')).text)).toEqual(all.slice(3));
        expect((await after(String(all.length))).status).toBe(204);
        const wrong = await after('three');
        expect([wrong.status, wrong.body.code]).toEqual([400, 'malformed_request']);
      });
    });
  });

  it('shows that it lives while nothing happens, and ends with the API [api:http]', async () => {
    await withWaitingRun(async ({ api, path }) => {
      const text = await readUntil(api, path, (came) => came.split(': still here\n\n').length > 2);
      expect(framesIn(text).at(-1)?.event).toBe('approval_requested');
      const open = readUntil(api, path, () => false).catch(() => 'cut');
      await readUntil(api, path, (came) => came.includes('approval_requested'));
      await api.api.close();
      expect(await open).toBe('cut');
    });
  });

  it('ends soon after its token was revoked, and does not open again [api:auth] [events:stream]', async () => {
    await withWaitingRun(async ({ api, agent, runId, path }) => {
      let revoked: Promise<void> | undefined;
      const text = await readUntil(api, path, (came) => {
        if (came.includes(': still here')) revoked ??= revokeToken(api.stateDir, 'auditor');
        return false;
      });
      await revoked;
      expect(framesIn(text).at(-1)?.event).toBe('approval_requested');
      expect((await api.ask('GET', path, undefined, { as: 'auditor' })).status).toBe(401);
      expect((await agent.client.status(runId)).phase).not.toBe('ended');
    });
  });

  it('may be held open by one token only so often at once [api:auth]', async () => {
    await withAgent(asking, async (agent) => {
      await withApi(agent.client, async (api) => {
        const runId = await agent.start();
        await agent.request(runId);
        const path = `/runs/${runId}/events`;
        await readUntil(api, path, (text) => text.includes('approval_requested'));
        const held = Array.from({ length: 20 }, async () => {
          const leaving = new AbortController();
          const answer = await fetch(`${addressOf(api.api)}/v1${path}`, {
            headers: { authorization: `Bearer ${api.tokens.operator}` },
            signal: leaving.signal,
          });
          return { status: answer.status, leaving };
        });
        const opened = await Promise.all(held);
        expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]));
        const more = await api.ask('GET', path, undefined, { as: 'operator' });
        expect([more.status, more.body.code]).toEqual([429, 'rate_limited']);
        for (const { leaving } of opened) leaving.abort();
      });
    });
  });
});
