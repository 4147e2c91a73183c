import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { withAgent, type TestAgent, type TestAgentOptions } from '../harness/agent.js';
import { failedWorkflowTasks } from '../harness/history.js';
import { effectTool } from '../harness/tools.js';
import { withApi, withBareApi, type TestApi } from './harness.js';

const call = (line: string) => ({ calls: [{ tool: 'effect', args: { line } }] });
const asking: TestAgentOptions = {
  customTools: [effectTool('effect', 'mutation')],
  script: [call('one'), { text: 'Over.' }],
};
const free: TestAgentOptions = {
  customTools: [effectTool('effect', 'safe')],
  script: [call('one'), { text: 'Over.' }],
};

function withBoth(
  options: TestAgentOptions,
  body: (agent: TestAgent, api: TestApi) => Promise<void>,
): Promise<void> {
  return withAgent(options, (agent) => withApi(agent.client, (api) => body(agent, api)));
}

describe('a start over HTTP', () => {
  it('gives the address of a run that does its work [api:http]', async () => {
    await withBoth(free, async (agent, { ask }) => {
      const { status, headers, body } = await ask('POST', '/runs', { agent: agent.name, prompt: 'Do it.' });
      expect([status, headers['location']]).toEqual([201, `/v1/runs/${body.runId}`]);
      await agent.client.result(body.runId);
      expect(await readFile(join(agent.workspace, 'effects.txt'), 'utf8')).toBe('one\n');
      const { body: record } = await ask('GET', `/runs/${body.runId}`, undefined, { as: 'auditor' });
      expect(record).toMatchObject({
        runId: body.runId,
        request: { prompt: 'Do it.' },
        turns: [{ calls: [{ outcome: { status: 'ok' } }] }, { text: 'Over.' }],
        end: { status: 'completed' },
      });
    });
  });

  it('under an id of its own is made once [api:http]', async () => {
    await withBoth(free, async ({ name, client }, { ask }) => {
      const body = { agent: name, prompt: 'x', runId: `${name}.1` };
      expect((await ask('POST', '/runs', body)).status).toBe(201);
      const again = await ask('POST', '/runs', body);
      expect([again.status, again.body.code]).toEqual([409, 'run_exists']);
      await client.result(body.runId);
    });
  });

  it.each<[what: string, body: object, status: number, code: string, detail: RegExp]>([
    [
      'names a cwd',
      { cwd: '/' },
      422,
      'cwd_not_permitted',
      /^Client-supplied cwd is not permitted; the workspace/,
    ],
    [
      'hides a cwd',
      { budgets: { cwd: '/' } },
      422,
      'cwd_not_permitted',
      /^Client-supplied cwd is not permitted/,
    ],
    ['has no prompt', { prompt: undefined }, 422, 'invalid_start', /prompt: required, but missing/],
    [
      'has a prompt of another type',
      { prompt: 7 },
      422,
      'invalid_start',
      /prompt: expected string, got number/,
    ],
    [
      'has a number as text',
      { budgets: { maxTurns: '3' } },
      422,
      'invalid_start',
      /budgets\.maxTurns: expected/,
    ],
    ['knows more', { workspace: '/' }, 422, 'invalid_start', /workspace: not allowed here/],
    ['names an unknown tool', { tools: ['efect'] }, 422, 'unknown_tool_name', /effect/],
    ['raises a budget', { budgets: { maxTurns: 100_000 } }, 422, 'surface_widened', /never raise it/],
  ])(
    'that %s is refused to who sent it [api:http] [path:workspace]',
    async (_what, more, status, code, detail) => {
      await withBoth(free, async ({ name }, { ask }) => {
        const answer = await ask('POST', '/runs', { agent: name, prompt: 'x', ...more });
        expect([answer.status, answer.body.code, answer.headers['content-type']]).toEqual([
          status,
          code,
          'application/problem+json',
        ]);
        expect(answer.body.detail).toMatch(detail);
      });
    },
  );

  it('for an agent that no worker holds is refused, or waits when it says so [api:http]', async () => {
    await withBareApi(async ({ ask }) => {
      const body = { agent: 'no-such-agent', prompt: 'x' };
      const refused = await ask('POST', '/runs', body);
      expect([refused.status, refused.body.code]).toEqual([422, 'unknown_agent']);
      const { status, body: started } = await ask('POST', '/runs', { ...body, queue: true });
      expect([status, started.taken]).toEqual([201, false]);
      expect((await ask('POST', `/runs/${started.runId}/cancel`)).status).toBe(202);
    });
  });
});

describe('a body', () => {
  it.each<[what: string, raw: string | Buffer, detail: RegExp]>([
    ['that is no JSON', '{agent:1}', /not JSON/],
    ['that is cut off', '{"agent":', /truncated/],
    ['with something after it', '{} {}', /goes on/],
    ['that is a list', '[]', /must be a JSON object/],
    ['that is null', 'null', /must be a JSON object/],
    ['that names a member twice', '{"agent":"a","agent":"b"}', /agent: named twice/],
    [
      'with a number that no double holds',
      '{"budgets":{"maxTurns":9007199254740993}}',
      /budgets\.maxTurns: a number/,
    ],
    ['nested too deeply', `{"a":${'['.repeat(300)}${']'.repeat(300)}}`, /nested deeper/],
    ['that is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /not JSON/],
  ])('%s is refused as it stands [api:http] [schema:strict-json]', async (_what, raw, detail) => {
    await withBareApi(async ({ ask }) => {
      const { status, body } = await ask('POST', '/runs', undefined, { raw });
      expect([status, body.code]).toEqual([400, 'malformed_request']);
      expect(body.detail).toMatch(detail);
    });
  });

  it('of another type, or too large, is refused by its status [api:http] [api:auth]', async () => {
    await withBareApi(async ({ ask }) => {
      const typed = await ask('POST', '/runs', {}, { headers: { 'content-type': 'text/plain' } });
      expect([typed.status, typed.body.code]).toEqual([415, 'unsupported_media_type']);
      const large = await ask('POST', '/runs', { prompt: 'x'.repeat(1024 * 1024) });
      expect([large.status, large.body.code]).toEqual([413, 'request_too_large']);
    });
  });
});

describe('an address', () => {
  it.each<
    [
      method: 'GET' | 'PUT' | 'HEAD' | 'OPTIONS' | 'QUERY',
      path: string,
      status: number,
      allow: string | undefined,
    ]
  >([
    ['GET', '/nowhere', 404, undefined],
    ['PUT', '/runs', 405, 'POST, GET'],
    ['GET', '/runs/a/cancel', 405, 'POST'],
    ['OPTIONS', '/runs', 405, 'POST, GET'],
    ['HEAD', '/runs', 405, 'POST, GET'],
    ['QUERY', '/runs', 405, 'POST, GET'],
  ])(
    'that is none, or with another method, says so: %s %s [api:http]',
    async (method, path, status, allow) => {
      await withBareApi(async ({ ask }) => {
        const answer = await ask(method, path);
        expect([answer.status, answer.headers['allow']]).toEqual([status, allow]);
      });
    },
  );

  it.each<[path: string, detail: RegExp]>([
    ['/runs?limit=0', /limit: expected/],
    ['/runs?limit=1&limit=2', /limit: expected string, got array/],
    ['/runs?status=open', /status: expected one of/],
    ["/runs?agent='%20OR%20''='", /agent: expected/],
    ['/runs?colour=red', /colour: not allowed here/],
    ['/runs?page=nonsense', /This page is none/],
    [`/runs?page=${'0'.repeat(2000)}`, /This page is none/],
    ['/approvals?risk=none', /risk: expected one of/],
    ['/approvals?tool=a%20b', /tool: expected/],
    ['/runs/a%00b', /id: expected/],
    ['/runs/%zz', /cannot be read/],
    ['/runs/', /id: expected/],
  ])('that cannot be read is refused: %s [api:http]', async (path, detail) => {
    await withBareApi(async ({ ask }) => {
      const { status, body } = await ask('GET', path);
      expect([status, body.code]).toEqual([400, 'malformed_request']);
      expect(body.detail).toMatch(detail);
    });
  });

  it.each([
    ['GET', ''],
    ['GET', '/events'],
    ['GET', '/approvals'],
    ['GET', '/approvals/key'],
    ['POST', '/pause'],
    ['POST', '/cancel'],
    ['DELETE', '/grants/write'],
  ] as const)('of a run that does not exist is 404: %s %s [api:http]', async (method, rest) => {
    await withBareApi(async ({ ask }) => {
      const { status, body } = await ask(method, `/runs/no-such-run${rest}`);
      expect([status, body.code]).toEqual([404, 'unknown_run']);
    });
  });

  it('says nothing that a browser may share, guess or show in a frame [api:auth]', async () => {
    await withBareApi(async ({ ask }) => {
      for (const path of ['/health', '/runs', '/nowhere', '/runs/%zz']) {
        const { headers } = await ask('GET', path, undefined, { headers: { origin: 'https://example.com' } });
        expect(headers).toMatchObject({
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
          'cache-control': 'no-store',
        });
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    });
  });
});

describe('runs', () => {
  it('are listed by agent and status, page by page [api:http]', async () => {
    await withBoth(asking, async (agent, { ask }) => {
      const ids = [await agent.start(), await agent.start(), await agent.start()];
      const listed = async () => {
        const found: string[] = [];
        for (let page = ''; ;) {
          const { body } = await ask('GET', `/runs?agent=${agent.name}&status=running&limit=2${page}`);
          expect(body.runs.length).toBeLessThanOrEqual(2);
          found.push(...body.runs.map((run: { runId: string }) => run.runId));
          if (body.nextPage === undefined) return found;
          page = `&page=${body.nextPage}`;
        }
      };
      await vi.waitFor(async () => expect((await listed()).toSorted()).toEqual(ids.toSorted()), 30_000);
    });
  });

  it('are paused, told something, resumed and cancelled by the name of the token [api:http] [run:control]', async () => {
    await withBoth(asking, async (agent, { ask }) => {
      const runId = await agent.start();
      await agent.request(runId);
      const control = (verb: string, body?: object) =>
        ask('POST', `/runs/${runId}/${verb}`, body, { as: 'operator' });
      expect((await control('pause')).body).toEqual({ done: true, action: 'pause' });
      expect(await agent.client.status(runId)).toMatchObject({ pausedBy: 'operator' });
      const twice = await control('pause');
      expect([twice.status, twice.body.code]).toEqual([409, 'control_refused']);
      expect((await control('messages', { text: 'Be quick.' })).status).toBe(200);
      expect((await control('messages', { text: ' ' })).body.code).toBe('malformed_control');
      expect((await control('resume', {})).status).toBe(200);
      expect((await control('budget', { maxErrors: 5 })).status).toBe(200);
      expect((await control('budget', {})).status).toBe(422);
      expect((await control('cancel')).status).toBe(202);
      await expect(agent.client.result(runId)).rejects.toThrow('cancelled');
      for (const verb of ['cancel', 'pause']) {
        const late = await control(verb);
        expect([late.status, late.body.code]).toEqual([409, 'run_closed']);
      }
      expect(failedWorkflowTasks(await agent.history(runId))).toBe(0);
    });
  });

  it('that are no run of Holdfast are not shown or ended [api:http]', async () => {
    await withBoth(asking, async (agent, { ask }) => {
      const workflowId = `other-${agent.name}`;
      const handle = await agent.client.temporal.workflow.start('another', {
        workflowId,
        taskQueue: 'nobody',
        args: [],
      });
      for (const [method, rest] of [
        ['GET', ''],
        ['GET', '/events'],
        ['POST', '/cancel'],
        ['POST', '/pause'],
      ] as const) {
        expect((await ask(method, `/runs/${workflowId}${rest}`)).body.code).toBe('unknown_run');
      }
      expect((await handle.describe()).status.name).toBe('RUNNING');
      await handle.terminate();
    });
  });
});
