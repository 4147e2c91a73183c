import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { listWaiting } from '../../src/inbox/list-waiting.js';
import { withAgent, type TestAgent, type TestAgentOptions } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { holdfast } from './in-process.js';

const PATIENCE = { timeout: 30_000, interval: 50 };
const call = (line: string) => ({ tool: 'append', args: { line } });
const asking: TestAgentOptions = {
  customTools: [effectTool('append', 'mutation')],
  script: [{ text: 'I add a line.', calls: [call('one')] }, { calls: [call('two')] }, { text: 'Over.' }],
};

/** An agent whose run asks about its first call. */
function withRequest(
  body: (agent: TestAgent, runId: string, requestKey: string) => Promise<void>,
  options: TestAgentOptions = asking,
): Promise<void> {
  return withAgent(options, async (agent) => {
    const runId = await agent.start();
    const { requestKey } = await agent.request(runId);
    // The server's list follows the run by some milliseconds.
    await vi.waitFor(async () => {
      expect((await listWaiting(agent.client, { agent: agent.name, limit: 1 })).runs).toHaveLength(1);
    }, PATIENCE);
    await body(agent, runId, requestKey);
  });
}

async function lines({ workspace }: TestAgent): Promise<string> {
  return readFile(join(workspace, 'effects.txt'), 'utf8').catch(() => '');
}

describe('holdfast approvals', () => {
  it('lists what waits in all open runs of an agent, without arguments [api:cli] [events:no-args]', async () => {
    await withRequest(async ({ name }, runId) => {
      const { code, shown } = await holdfast(['approvals', '--agent', name]);
      expect(shown).toMatch(new RegExp(`^${runId} {2}1\\.1 {2}append {2}mutation {2}expires in 2[34] h\n`));
      expect(shown).not.toContain('one');
      expect(code).toBe(0);
    });
  });

  it('shows the requests of one run in full, with what to type [api:cli]', async () => {
    await withRequest(async (_agent, runId) => {
      const { shown } = await holdfast(['approvals', runId]);
      expect(shown).toMatch(/append asks to run {2}mutation\n {2}model {2}I add a line\.\n/);
      expect(shown).toContain('"line": "one"');
      expect(shown).toMatch(new RegExp(`^ {2}holdfast approve ${runId} 1\\.1$`, 'm'));
    });
  });

  it('gives a run in full as JSON, and all runs without arguments [api:cli] [events:no-args]', async () => {
    await withRequest(async ({ name }, runId, requestKey) => {
      const all = (await holdfast(['approvals', '--agent', name, '--json'])).shown;
      const requests = [{ requestKey, number: '1.1', tool: 'append', riskLevel: 'mutation' }];
      expect(JSON.parse(all)).toMatchObject({ runs: [{ runId, agent: name, count: 1, requests }] });
      expect(all).not.toContain('one');
      const one: unknown = JSON.parse((await holdfast(['approvals', runId, '--json'])).shown);
      expect(one).toMatchObject({ requests: [{ runId, requestKey, args: { line: 'one' } }] });
    });
  });

  it('needs no worker to list what waits in all runs, and says so where it needs one [api:cli]', async () => {
    await withRequest(async (agent, runId) => {
      await agent.redeploy({}, async () => {
        const all = await holdfast(['approvals', '--agent', agent.name]);
        expect([all.code, all.complaints]).toEqual([0, '']);
        expect(all.shown).toContain(`${runId}  1.1  append`);
        const one = await holdfast(['approvals', runId]);
        expect(one.complaints).toMatch(/^Waiting for a worker of this agent to answer, at most 10 s\.\n/);
        expect([one.code, one.shown]).toEqual([4, '']);
      });
    });
  });

  it('says that nothing waits [api:cli]', async () => {
    await withAgent({ script: [{ text: 'x' }] }, async (agent) => {
      expect((await holdfast(['approvals', '--agent', agent.name])).shown).toBe(
        'Nothing waits for a person.\n',
      );
    });
  });
});

describe('a decision on the command line', () => {
  it('approves by run and call, once [api:cli] [hitl:decision]', async () => {
    await withRequest(async (agent, runId, requestKey) => {
      const { code, shown } = await holdfast(['approve', runId, '1.1', '--yes', '--approver', 'ann']);
      expect([code, shown]).toEqual([0, `Approved: append, call 1.1 of ${runId}.\n`]);
      const next = await agent.request(runId);
      expect(next.requestKey).not.toBe(requestKey);
      expect(await lines(agent)).toBe('one\n');
    });
  });

  it('says how many more must approve [api:cli] [hitl:quorum]', async () => {
    await withRequest(
      async (_agent, runId) => {
        const ann = await holdfast(['approve', runId, '1.1', '--yes', '--approver', 'ann']);
        expect([ann.code, ann.shown]).toEqual([
          0,
          `Approved: append, call 1.1 of ${runId}. It runs once another approver has approved it.\n`,
        ]);
        const bob = await holdfast(['approve', runId, '1.1', '--yes', '--approver', 'bob']);
        expect(bob.shown).toBe(`Approved: append, call 1.1 of ${runId}.\n`);
      },
      { ...asking, approvals: { quorum: { mutation: 2 } } },
    );
  });

  it('shows a request that is named by its key, too, once another person has edited its arguments [api:cli] [hitl:quorum] [hitl:decision]', async () => {
    await withRequest(
      async (agent, runId, requestKey) => {
        const edit = ['edit', requestKey, '--args', '{"line":"uno"}', '--approver', 'ann'];
        expect((await holdfast(edit)).code).toBe(0);
        const bob = ['approve', requestKey, '--approver', 'bob'];
        const unseen = await holdfast(bob);
        expect([unseen.code, unseen.complaints]).toEqual([2, expect.stringMatching(/were edited: look/)]);
        const no = await holdfast(bob, { answers: ['n'] });
        expect(stripVTControlCharacters(no.shown)).toMatch(/"line": "uno"[^]*Run it\?/);
        expect(no.code).toBe(7);
        expect((await agent.client.pending(runId))[0]?.approvals).toHaveLength(1);
        expect((await holdfast([...bob, '--yes'])).code).toBe(0);
        await agent.request(runId);
        expect(await lines(agent)).toBe('uno\n');
      },
      { ...asking, approvals: { quorum: { mutation: 2 } } },
    );
  });

  it('shows a request that is named by its call, and runs it when the person says so [api:cli] [hitl:decision]', async () => {
    await withRequest(async (agent, runId, requestKey) => {
      const no = await holdfast(['approve', runId, '1.1'], { answers: ['n'] });
      expect(stripVTControlCharacters(no.shown)).toMatch(
        /append asks to run {2}mutation\n[^]*"line": "one"[^]*Run it\?/,
      );
      expect(no.shown).toMatch(/\nNothing was decided; the request waits on\.\n$/);
      expect([no.code, no.complaints]).toEqual([7, '']);
      expect((await agent.client.pending(runId))[0]?.requestKey).toBe(requestKey);
      const unseen = await holdfast(['approve', runId, '1.1', '--json'], { answers: [] });
      expect([unseen.code, unseen.shown]).toEqual([2, '']);
      const yes = await holdfast(['approve', runId, '1.1'], { answers: ['y'] });
      expect([yes.code, yes.shown.split('\n').at(-2)]).toEqual([
        0,
        `Approved: append, call 1.1 of ${runId}.`,
      ]);
      await agent.request(runId);
      expect(await lines(agent)).toBe('one\n');
    });
  });

  it('shows edited arguments as they would run [api:cli] [hitl:decision]', async () => {
    await withRequest(async (agent, runId) => {
      const edit = ['edit', runId, '1.1', '--args', '{"line":"uno"}'];
      const { code, shown } = await holdfast(edit, { answers: ['yes'] });
      expect(stripVTControlCharacters(shown)).toMatch(/"line": "uno"[^]*Run it\?/);
      expect(code).toBe(0);
      await agent.request(runId);
      expect(await lines(agent)).toBe('uno\n');
    });
  });

  it('approves by key, for the whole run [api:cli] [hitl:grants]', async () => {
    await withRequest(async (agent, runId, requestKey) => {
      const { code } = await holdfast(['approve', requestKey, '--run', '--approver', 'ann']);
      expect(code).toBe(0);
      await agent.client.result(runId);
      expect(await lines(agent)).toBe('one\ntwo\n');
      expect((await agent.client.status(runId)).grants).toMatchObject([{ tool: 'append', approver: 'ann' }]);
    });
  });

  it('denies with the reason that the model reads [api:cli] [hitl:deny]', async () => {
    await withRequest(async (agent, runId) => {
      const { code, shown } = await holdfast(['deny', runId, '1.1', '--reason', 'not now', '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(shown)).toMatchObject({ runId, counted: true, decision: 'deny' });
      await agent.request(runId);
      expect(JSON.stringify(agent.model.requests.at(-1)?.messages)).toContain('not now');
      expect(await lines(agent)).toBe('');
    });
  });

  it('edits by JSON [api:cli] [hitl:edit-told]', async () => {
    await withRequest(async (agent, runId) => {
      const { code, shown } = await holdfast(['edit', runId, '1.1', '--yes', '--args', '{"line":"uno"}']);
      expect([code, shown]).toEqual([0, `Approved as edited: append, call 1.1 of ${runId}.\n`]);
      await agent.request(runId);
      expect(await lines(agent)).toBe('uno\n');
    });
  });

  it('ends with 5 and the reason when the tool refuses the edited arguments, and changes nothing [api:cli] [hitl:revalidated]', async () => {
    await withRequest(async (agent, runId, requestKey) => {
      const { code, shown, complaints } = await holdfast([
        'edit',
        runId,
        '1.1',
        '--yes',
        '--args',
        '{"line":""}',
      ]);
      expect([code, shown]).toEqual([5, '']);
      expect(complaints).toMatch(/^edit_invalid: .*line/);
      expect((await agent.client.pending(runId))[0]?.requestKey).toBe(requestKey);
    });
  });

  it('opens the editor, and offers what was refused to be mended [api:cli]', async () => {
    await withRequest(async (agent, runId) => {
      const editor = join(agent.workspace, 'editor.mjs');
      // Takes the letters of the line away first, and puts others there when it finds none.
      await writeFile(
        editor,
        `import { readFileSync, writeFileSync } from 'node:fs';
        const file = process.argv[2];
        const { line } = JSON.parse(readFileSync(file, 'utf8'));
        writeFileSync(file, JSON.stringify({ line: line === '' ? 'mended' : '' }));`,
      );
      const { code, shown } = await holdfast(['edit', runId, '1.1'], {
        answers: ['e'],
        editor: `${process.execPath} ${editor}`,
      });
      // Where colours are on, as they are in CI, the code is a red one.
      const plain = stripVTControlCharacters(shown);
      expect(plain).toMatch(/edit_invalid: [^]*\[e\]dit again or \[q\]uit\? [^]*Approved as edited/);
      expect(code).toBe(0);
      await agent.request(runId);
      expect(await lines(agent)).toBe('mended\n');
    });
  });

  it('leaves the request waiting when the person quits [api:cli]', async () => {
    await withRequest(async (agent, runId, requestKey) => {
      const { code, shown, complaints } = await holdfast(['edit', runId, '1.1'], { answers: ['[1]', 'q'] });
      expect(shown).toMatch(/\nNothing was decided; the request waits on\.\n$/);
      expect([code, complaints]).toEqual([7, '']);
      expect((await agent.client.pending(runId))[0]?.requestKey).toBe(requestKey);
    });
  });

  it('ends with 6 for what does not wait: decided, unknown, of no run [api:cli] [hitl:stale]', async () => {
    await withRequest(async (agent, runId, requestKey) => {
      await holdfast(['deny', requestKey]);
      await agent.request(runId);
      const refused = async (...args: readonly string[]) => {
        const { code, complaints } = await holdfast(args);
        return `${String(code)} ${complaints.split(':')[0] ?? ''}`;
      };
      expect(await refused('approve', requestKey)).toBe('6 request_decided');
      expect(await refused('approve', runId, '1.1', '--yes')).toBe('6 request_decided');
      expect(await refused('approve', runId, '9.1', '--yes')).toBe('6 unknown_request');
      expect(await refused('approve', 'no-such-run', '1.1', '--yes')).toBe('6 unknown_run');
      expect(await refused('approvals', 'no-such-run')).toBe('6 unknown_run');
    });
  });

  it('ends with 5 when a grant is not allowed [api:cli] [risk:always]', async () => {
    const options = { ...asking, customTools: [effectTool('append', 'destructive')] };
    await withRequest(async (_agent, runId) => {
      const { code, complaints } = await holdfast(['approve', runId, '1.1', '--yes', '--run']);
      expect(complaints).toMatch(/^grant_not_allowed: /);
      expect(code).toBe(5);
    }, options);
  });
});

describe('a grant on the command line', () => {
  it('is shown with its approver, and revoked [api:cli] [hitl:grants]', async () => {
    const script = [...(asking.script.slice(0, 1) ?? []), { calls: [call('two')] }, { text: 'Over.' }];
    const customTools = [effectTool('append', 'mutation'), effectTool('always', 'destructive')];
    const ask = { calls: [{ tool: 'always', args: { line: 'x' } }] };
    await withRequest(
      async (agent, runId) => {
        await holdfast(['approve', runId, '1.1', '--yes', '--run', '--approver', 'ann']);
        expect((await agent.request(runId)).tool).toBe('always');
        const { shown } = await holdfast(['show', runId]);
        expect(shown).toMatch(/^Grant {2}append {2}by ann$/m);
        expect(shown).toMatch(/^ {2}2\.1 {2}always {2}destructive {2}– {2}expires in 2[34] h$/m);
        expect((await holdfast(['revoke', runId, 'append'])).code).toBe(0);
        expect((await agent.client.status(runId)).grants).toEqual([]);
        expect((await holdfast(['revoke', runId, 'append'])).code).toBe(5);
      },
      { customTools, script: [script[0] ?? {}, ask, { text: 'Over.' }] },
    );
  });
});
