import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it, vi } from 'vitest';
import type { ApprovalRequest } from '../../src/contract/decision.js';
import { LIMITS } from '../../src/contract/limits.js';
import { withAgent, type TestAgent, type TestAgentOptions } from '../harness/agent.js';
import { failedWorkflowTasks, markers, scheduled, toldToModel } from '../harness/history.js';
import { withProxy } from '../harness/proxy.js';
import { effectTool } from '../harness/tools.js';
import { withHoldfast } from '../harness/worker-processes.js';
import { withApi, type Answered, type TestApi } from './harness.js';

const calling = (...lines: readonly string[]) => ({
  calls: lines.map((line) => ({ tool: 'effect', args: { line } })),
});
const gated = (...script: TestAgentOptions['script']): TestAgentOptions => ({
  customTools: [effectTool('effect', 'mutation')],
  script: [...script, { text: 'done' }],
});
const effects = (agent: TestAgent): Promise<string> =>
  readFile(join(agent.workspace, 'effects.txt'), 'utf8').catch(() => '');

interface Door {
  readonly agent: TestAgent;
  readonly api: TestApi;
  readonly runId: string;
  readonly request: ApprovalRequest;
  /** Decides as the approver about this request as it was shown, unless the body says otherwise. */
  readonly decide: (about: ApprovalRequest, body: object, runId?: string) => Promise<Answered>;
}

/** A run that asks about its first call, before the API. */
function atDoor(
  options: TestAgentOptions,
  body: (door: Door) => Promise<void>,
  deps: Parameters<typeof withApi>[2] = {},
): Promise<void> {
  return withAgent(options, async (agent) => {
    await withApi(
      agent.client,
      async (api) => {
        const runId = await agent.start();
        const request = await agent.request(runId);
        const decide: Door['decide'] = (about, said, ofRun = runId) => {
          const { requestKey, tool, argsDigest, schemaDigest } = about;
          const seen = { tool, argsDigest, schemaDigest };
          return api.ask('POST', decisionPath(ofRun, requestKey), { ...seen, ...said }, { as: 'approver' });
        };
        await body({ agent, api, runId, request, decide });
      },
      deps,
    );
  });
}

function decisionPath(runId: string, requestKey: string): string {
  return `/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(requestKey)}/decision`;
}

const said = ({ status, body }: Answered) => [status, body.code];

/** Waits for the request about another call than this one. */
function nextRequest({ agent, runId, request }: Door): Promise<ApprovalRequest> {
  return vi.waitFor(
    async () => {
      const next = (await agent.client.pending(runId)).find((r) => r.requestKey !== request.requestKey);
      if (!next) throw new Error('no further request yet');
      return next;
    },
    { timeout: 30_000, interval: 50 },
  );
}

async function expectUntouched({ agent, runId, request }: Door): Promise<void> {
  expect((await agent.client.pending(runId)).map((r) => r.requestKey)).toContain(request.requestKey);
  expect(scheduled(await agent.history(runId), 'executeTool')).toEqual([]);
}

describe('an approver at the HTTP door', () => {
  it('finds what waits, sees it in full, and approves exactly that under the name of the token [api:http] [hitl:decision]', async () => {
    await atDoor(gated(calling('x')), async ({ agent, api, runId, request, decide }) => {
      const { body: list } = await api.ask('GET', `/runs/${runId}/approvals`, undefined, { as: 'approver' });
      expect(list.requests).toMatchObject([{ requestKey: request.requestKey, tool: 'effect' }]);
      expect(JSON.stringify(list)).not.toContain('"x"');
      const path = `/runs/${runId}/approvals/${request.requestKey}`;
      expect((await api.ask('GET', path, undefined, { as: 'approver' })).body).toEqual(request);
      const { status, body } = await decide(request, { decision: 'approve', decisionId: 'd-1' });
      expect([status, body]).toEqual([
        200,
        { counted: true, requestKey: request.requestKey, decision: 'approve', decisionId: 'd-1' },
      ]);
      await agent.client.result(runId);
      const [execution] = scheduled(await agent.history(runId), 'executeTool');
      const { requestKey, argsDigest } = request;
      expect(execution?.input).toMatchObject({
        args: { line: 'x' },
        authorization: { kind: 'decision', requestKey, argsDigest, decisionId: 'd-1', approver: 'approver' },
      });
      expect(await effects(agent)).toBe('x\n');
      expect((await api.ask('GET', `/runs/${runId}/approvals`)).body).toEqual({ requests: [] });
    });
  });

  it('is not asked for a name: one in the body is refused, and nothing reaches the run [api:auth]', async () => {
    await atDoor(gated(calling('x')), async (door) => {
      const answer = await door.decide(door.request, { decision: 'approve', approver: 'somebody-else' });
      expect(said(answer)).toEqual([422, 'malformed_decision']);
      expect(answer.body.errors).toEqual([{ in: 'body', detail: 'approver: not allowed here.' }]);
      expect(markers(await door.agent.history(door.runId), 'validateApproval')).toEqual([]);
      await expectUntouched(door);
    });
  });

  it('grants for the run, and a grant is ended by its address [api:http] [hitl:grants]', async () => {
    await atDoor(gated(calling('a'), calling('b')), async (door) => {
      const { agent, api, runId, request, decide } = door;
      expect(said(await api.ask('DELETE', `/runs/${runId}/grants/effect`))).toEqual([409, 'control_refused']);
      await decide(request, { decision: 'approve', scope: 'run' });
      await agent.client.result(runId);
      expect(await effects(agent)).toBe('a\nb\n');
    });
  });
});

describe('a decision over HTTP that is stale', () => {
  it('never lands on a newer call [api:http] [hitl:stale] [H14]', async () => {
    await atDoor(gated(calling('a'), calling('b')), async (door) => {
      const { agent, runId, request, decide } = door;
      expect((await decide(request, { decision: 'deny' })).status).toBe(200);
      const newer = await nextRequest(door);
      expect(said(await decide(request, { decision: 'approve' }))).toEqual([409, 'request_decided']);
      const wrongDigest = { ...newer, argsDigest: request.argsDigest };
      expect(said(await decide(wrongDigest, { decision: 'approve' }))).toEqual([409, 'digest_mismatch']);
      await expectUntouched({ ...door, request: newer });
      expect((await decide(newer, { decision: 'approve' })).status).toBe(200);
      await agent.client.result(runId);
      expect(await effects(agent)).toBe('b\n');
    });
  });

  it('or for no request, or that of another run, changes nothing [api:http] [hitl:stale] [H14]', async () => {
    await atDoor(gated(calling('a')), async (door) => {
      const { agent, request, decide } = door;
      const otherRun = await agent.start();
      const other = await agent.request(otherRun);
      const unknown = { ...request, requestKey: `${door.runId}:9:9:${randomUUID()}:${randomUUID()}` };
      expect(said(await decide(unknown, { decision: 'approve' }))).toEqual([404, 'unknown_request']);
      expect(said(await decide(other, { decision: 'approve' }))).toEqual([404, 'unknown_request']);
      expect(said(await decide(request, { decision: 'approve' }, 'no-such-run'))).toEqual([
        404,
        'unknown_run',
      ]);
      await expectUntouched(door);
      await expectUntouched({ ...door, runId: otherRun, request: other });
    });
  });

  it('repeated under its id gets the same answer once more; another one under that id is refused [api:http] [hitl:stale]', async () => {
    await atDoor(gated(calling('a'), calling('b')), async (door) => {
      const { request, decide } = door;
      const deny = { decision: 'deny', decisionId: 'one' };
      const first = await decide(request, deny);
      const newer = await nextRequest(door);
      expect((await decide(request, deny)).body).toEqual(first.body);
      const reused = await decide(newer, { decision: 'approve', decisionId: 'one' });
      expect(said(reused)).toEqual([409, 'decision_id_reused']);
      await expectUntouched({ ...door, request: newer });
    });
  });

  it('is one of two at once: exactly one counts [api:http] [hitl:stale]', async () => {
    await atDoor(gated(calling('a')), async ({ agent, runId, request, decide }) => {
      const both = await Promise.all([
        decide(request, { decision: 'approve' }),
        decide(request, { decision: 'deny' }),
      ]);
      expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      await agent.client.result(runId);
      expect(await effects(agent)).toBe(both[0].status === 200 ? 'a\n' : '');
    });
  });
});

describe('an edit over HTTP', () => {
  const writing: TestAgentOptions = {
    enableWriteTools: true,
    script: [{ calls: [{ tool: 'write', args: { path: 'a', content: 'x' } }] }, { text: 'done' }],
  };

  it('is validated and guarded, with the place of the fault, and runs as edited [api:http] [hitl:revalidated] [H15]', async () => {
    await atDoor(writing, async (door) => {
      const { agent, runId, request, decide } = door;
      const edit = (args: object) => decide(request, { decision: 'edit', args });
      const outside = await edit({ path: '../o', content: 'x' });
      expect(said(outside)).toEqual([422, 'edit_refused']);
      expect(outside.body.errors).toEqual([
        { in: 'body', detail: expect.stringMatching(/^args: .*path/), pointer: '#/args' },
      ]);
      const extra = await edit({ path: 'a', content: 'y', extra: 1 });
      expect(said(extra)).toEqual([422, 'edit_invalid']);
      expect(extra.body.errors).toEqual([
        { in: 'body', detail: expect.stringMatching(/^args: .*extra/), pointer: '#/args/extra' },
      ]);
      expect(said(await decide(request, { decision: 'edit' }))).toEqual([422, 'malformed_decision']);
      await expectUntouched(door);
      expect((await edit({ path: 'a', content: 'y' })).status).toBe(200);
      await agent.client.result(runId);
      expect(await readFile(join(agent.workspace, 'a'), 'utf8')).toBe('y');
      expect(scheduled(await agent.history(runId), 'executeTool')).toMatchObject([
        { input: { args: { path: 'a', content: 'y' } } },
      ]);
    });
  });

  it('that is too large is 413, and the request waits on [api:http] [run:payloads]', async () => {
    await atDoor(writing, async (door) => {
      const sized = (bytes: number) =>
        door.decide(door.request, { decision: 'edit', args: { path: 'a', content: 'x'.repeat(bytes) } });
      expect(said(await sized(LIMITS.decisionBytes))).toEqual([413, 'decision_too_large']);
      expect(said(await sized(3 * 1024 * 1024))).toEqual([413, 'request_too_large']);
      await expectUntouched(door);
    });
  });
});

describe('a request that nobody decides', () => {
  it('expires, and a late decision is 410 [api:http] [hitl:expire] [H16]', async () => {
    const options = { ...gated(calling('a'), calling('b')), approvalTimeoutMs: 3_000 };
    await atDoor(options, async (door) => {
      const { agent, api, runId, request, decide } = door;
      await nextRequest(door);
      expect(said(await decide(request, { decision: 'approve' }))).toEqual([410, 'request_expired']);
      const path = `/runs/${runId}/approvals/${request.requestKey}`;
      expect(said(await api.ask('GET', path))).toEqual([410, 'request_expired']);
      await agent.client.result(runId);
      expect(said(await decide(request, { decision: 'approve' }))).toEqual([409, 'run_closed']);
      const events = await agent.history(runId);
      expect(scheduled(events, 'executeTool')).toEqual([]);
      expect(toldToModel(events).map(({ status }) => status)).toEqual(['expired', 'expired']);
    });
  });
});

describe('a denial over HTTP', () => {
  it('reaches the model with its reason as written, as denied and no failure [api:http] [hitl:deny] [H17]', async () => {
    const reason = 'use the copy; "quotes" and\nnewline';
    await atDoor(gated(calling('a')), async ({ agent, runId, request, decide }) => {
      expect((await decide(request, { decision: 'deny', reason })).status).toBe(200);
      expect((await agent.client.result(runId)).budget).toMatchObject({ errors: 0, consecutiveDenials: 1 });
      const events = await agent.history(runId);
      expect(toldToModel(events).map(({ status }) => status)).toEqual(['denied']);
      expect(JSON.stringify(agent.model.requests[1])).toContain(JSON.stringify(reason).slice(1, -1));
      expect(scheduled(events, 'executeTool')).toEqual([]);
    });
  });
});

describe('several calls of one turn', () => {
  it('are decided each by its own address, in any order [api:http] [hitl:parallel] [H18]', async () => {
    const free = effectTool('free', 'safe');
    const turn = {
      calls: [
        { tool: 'free', args: { line: 'A' } },
        { tool: 'effect', args: { line: 'B' } },
        { tool: 'effect', args: { line: 'C' } },
        { tool: 'effect', args: { line: 7 } },
      ],
    };
    const options = { ...gated(turn), customTools: [free, effectTool('effect', 'mutation')] };
    await atDoor(options, async ({ agent, api, runId, decide }) => {
      const { requests } = await vi.waitFor(async () => {
        const { body } = await api.ask('GET', `/runs/${runId}/approvals`);
        expect(body.requests).toHaveLength(2);
        return body as { requests: ApprovalRequest[] };
      }, 30_000);
      const [b, c] = requests.toSorted((one, other) => one.call.index - other.call.index);
      if (!b || !c) throw new Error('two requests');
      expect((await decide(c, { decision: 'approve' })).status).toBe(200);
      await agent.redeploy();
      expect((await decide(b, { decision: 'deny' })).status).toBe(200);
      await agent.client.result(runId);
      const events = await agent.history(runId);
      expect(toldToModel(events).map(({ index, status }) => [index, status])).toEqual([
        [0, 'ok'],
        [1, 'denied'],
        [2, 'ok'],
        [3, 'error'],
      ]);
      expect(await effects(agent)).toBe('A\nC\n');
      expect(scheduled(events, 'callModel')).toHaveLength(2);
    });
  });
});

describe('a hostile decision over HTTP', () => {
  it('of any shape is refused, leaves the request pending and fails no workflow task; then a good one works [api:http] [hitl:refused-decision] [H22]', async () => {
    await atDoor(gated(calling('x')), async (door) => {
      const { agent, api, runId, request, decide } = door;
      const path = decisionPath(runId, request.requestKey);
      const { tool, argsDigest, schemaDigest } = request;
      const seen = JSON.stringify({ tool, argsDigest, schemaDigest }).slice(1, -1);
      const raws = [
        '',
        'null',
        '"yes"',
        '[]',
        '{}',
        '{"key":1}',
        `{${seen}}`,
        `{${seen},"decision":"maybe"}`,
        `{"__proto__":{"decision":"approve"},${seen}}`,
        `{"decision":"approve",${seen},"cwd":"/"}`,
        `{"decision":"approve","decision":"deny",${seen}}`,
        `{"decision":"approve",${seen},"args":{"line":"y"}}`,
        `{"decision":"approve",${seen},"scope":"always"}`,
        `{"decision":"approve","argsDigest":"${argsDigest}"}`,
        `{"decision":"approve","tool":"${tool}","argsDigest":"${argsDigest.toUpperCase()}!","schemaDigest":"${schemaDigest}"}`,
        `{"decision":"approve",${seen},"decisionId":""}`,
        `{"decision":"approve",${seen},"requestKey":"other"}`,
        `{"decision":"approve",${seen},"runId":"other"}`,
        `{"decision":"approve",${seen},"jws":"a.b.c"}`,
        '{"jws":7}',
        `{"decision":"deny",${seen},"reason":"${'x'.repeat(3 * 1024 * 1024)}"}`,
        `{"decision":"approve",${seen},"reason":"\\ud800"}`,
      ];
      for (const raw of raws) {
        const { status, text } = await api.ask('POST', path, undefined, { as: 'approver', raw });
        expect([raw.slice(0, 80), status >= 400 && status < 500]).toEqual([raw.slice(0, 80), true]);
        expect(text.length).toBeLessThan(3000);
      }
      const cwd = await decide(request, { decision: 'approve', cwd: '/' });
      expect(said(cwd)).toEqual([422, 'cwd_not_permitted']);
      await expectUntouched(door);
      expect((await decide(request, { decision: 'approve' })).status).toBe(200);
      await agent.client.result(runId);
      const events = await agent.history(runId);
      expect([failedWorkflowTasks(events), scheduled(events, 'executeTool').length]).toEqual([0, 1]);
      expect(markers(events, 'validateApproval')).toHaveLength(1);
    });
  });
});

describe('a decision while no worker lives', () => {
  it('waits in the run as 202, and is judged once when one is back [api:http] [hitl:durable]', async () => {
    await atDoor(
      gated(calling('a'), calling('b')),
      async (door) => {
        const { agent, api, runId, request, decide } = door;
        const approve = { decision: 'approve', decisionId: 'once' };
        const asleep: Answered[] = [];
        await agent.redeploy({}, async () => {
          asleep.push(await decide(request, approve));
          asleep.push(await api.ask('GET', `/runs/${runId}/approvals`));
          asleep.push(await api.ask('POST', `/runs/${runId}/pause`));
          asleep.push(await api.ask('GET', `/runs/${runId}`));
        });
        const [sent, list, pause, shown] = asleep;
        expect([sent?.status, sent?.body]).toEqual([
          202,
          { counted: null, requestKey: request.requestKey, decisionId: 'once' },
        ]);
        expect([list?.body.code, pause?.body.code]).toEqual(['no_worker', 'no_worker']);
        expect([shown?.status, shown?.body.pending]).toEqual([200, null]);
        // The server may have kept the pause, and given it to the worker that is back.
        await agent.client.resume(runId, 'ann');
        const next = await nextRequest(door);
        expect((await decide(request, approve)).body).toMatchObject({ counted: true, decisionId: 'once' });
        await decide(next, { decision: 'deny' });
        await agent.client.result(runId);
        const events = await agent.history(runId);
        expect(scheduled(events, 'executeTool')).toHaveLength(1);
        expect(await effects(agent)).toBe('a\n');
        expect(failedWorkflowTasks(events)).toBe(0);
      },
      { answerMs: 1_500 },
    );
  });

  it('nor a server is 503, and the request waits on [api:http]', async () => {
    await withProxy(inject('temporalAddress'), (proxy) =>
      withHoldfast(
        (client) =>
          atDoor(
            gated(calling('a')),
            async (door) => {
              proxy.cut();
              expect(said(await door.decide(door.request, { decision: 'approve' }))).toEqual([
                503,
                'temporal_unavailable',
              ]);
              proxy.mend();
              await expectUntouched(door);
            },
            { answerMs: 1_500, client },
          ),
        proxy.address,
      ),
    );
  });
});
