import { randomUUID } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { Interrupts } from '../../src/cli/interrupts.js';
import { taskQueueOf } from '../../src/contract/names.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { withClient } from '../harness/temporal.js';
import { effectTool, failingTool } from '../harness/tools.js';
import { holdfast } from './in-process.js';

const done = { script: [{ text: 'All is well.' }] };
const asking = {
  customTools: [effectTool('append', 'mutation')],
  script: [{ calls: [{ tool: 'append', args: { line: 'secret-line' } }] }, { text: 'Over.' }],
};

async function started(agent: TestAgent, ...options: readonly string[]): Promise<string> {
  const { code, shown, complaints } = await holdfast(['run', agent.name, 'Do it.', ...options]);
  expect([code, complaints.replace(/^Waiting for .*\n/, '')]).toEqual([0, '']);
  return shown.trim();
}

describe('holdfast run', () => {
  it('prints the id of the run that it started, and nothing else [api:cli]', async () => {
    await withAgent(done, async (agent) => {
      const runId = await started(agent);
      expect(runId).toMatch(/^run-[0-9a-f-]{36}$/);
      expect(await agent.client.result(runId)).toMatchObject({ text: 'All is well.' });
    });
  });

  it('takes an id once, and never again [api:cli]', async () => {
    await withAgent(done, async (agent) => {
      const id = `own-${randomUUID()}`;
      const { shown } = await holdfast(['run', agent.name, 'x', '--id', id, '--json']);
      expect(JSON.parse(shown)).toEqual({ runId: id });
      const again = await holdfast(['run', agent.name, 'x', '--id', id]);
      expect(again.complaints).toMatch(/^run_exists: A run of this id exists/);
      expect(again.code).toBe(2);
    });
  });

  it('follows the run to its end with --wait [api:cli]', async () => {
    await withAgent(done, async (agent) => {
      const { code, shown } = await holdfast(['run', agent.name, 'x', '--wait']);
      expect(shown).toMatch(
        /^run-.*\n 1 {2}The model has finished\.\n\nAll is well\.\n\nRun done after .* m?s\n$/,
      );
      expect(code).toBe(0);
    });
  });

  it('gives the events of the run as lines of JSON [api:cli] [events:no-args]', async () => {
    const options = { ...asking, customTools: [effectTool('append', 'safe')] };
    await withAgent(options, async (agent) => {
      const { shown } = await holdfast(['run', agent.name, 'x', '--wait', '--json']);
      const events = shown
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { type?: string; seq?: number });
      expect(events.map(({ type }) => type)).toEqual([
        undefined,
        'run_start',
        'run_prepared',
        'turn_start',
        'model_answered',
        'tool_checked',
        'tool_execution_start',
        'tool_execution_end',
        'turn_end',
        'turn_start',
        'model_answered',
        'turn_end',
        'run_end',
      ]);
      expect(events[5]).toMatchObject({ turn: 0, index: 0, number: '1.1' });
      expect(events.slice(1).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
      expect(events[7]).toMatchObject({
        turn: 0,
        index: 0,
        toolName: 'append',
        isError: false,
        status: 'ok',
      });
      expect(shown).not.toContain('secret-line');
    });
  });

  it('narrows the surface, the budgets and what runs unasked [api:cli] [surface:narrow-only]', async () => {
    await withAgent(asking, async (agent) => {
      const options = [
        '--tools',
        'read,append',
        '--exclude-tools',
        'read',
        '--require-approval-for',
        'append',
      ];
      const runId = await started(agent, ...options, '--max-errors', '2', '--max-turns', '7');
      expect(await agent.request(runId)).toMatchObject({ grantable: false });
      expect(agent.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['append']);
      expect((await agent.client.status(runId)).budgets).toMatchObject({ maxErrors: 2, maxTurns: 7 });
      const without = await started(agent, '--no-tools', 'all');
      await agent.client.result(without).catch(() => undefined);
      expect(agent.model.requests.find(({ tools }) => tools.length === 0)).toBeDefined();
    });
  });

  it.each([
    ['--tools', 'reads', /^unknown_tool_name: .*did you mean read/],
    ['--tools', 'edit', /^surface_widened: /],
    ['--max-errors', '1000', /^surface_widened: /],
  ])('ends with 2 and the reason when the worker refuses the start: %s %s [api:cli]', async (...given) => {
    const [option, value, refusal] = given;
    await withAgent(done, async (agent) => {
      for (const waiting of [[], ['--wait']]) {
        const end = await holdfast(['run', agent.name, 'x', option, value, ...waiting]);
        expect(end.complaints).toMatch(refusal);
        expect([end.code, end.shown]).toEqual([2, '']);
        expect(agent.model.requests).toEqual([]);
      }
    });
  });

  it('starts nothing under an id that no run may have [api:cli]', async () => {
    await withAgent(done, async (agent) => {
      const { code, shown, complaints } = await holdfast(['run', agent.name, 'x', '--id', 'x'.repeat(257)]);
      expect(complaints).toBe('invalid_start: The id of a run has 1 to 256 characters. Choose another.\n');
      expect([code, shown]).toEqual([2, '']);
    });
  });

  it('starts nothing for an agent that no worker holds, unless it is to wait [api:cli]', async () => {
    const agent = `nobody-${randomUUID().slice(0, 8)}`;
    const refused = await holdfast(['run', agent, 'x']);
    expect(refused.complaints).toMatch(/^no_worker: No worker holds an agent .*, so nothing was started\./);
    expect(refused.code).toBe(4);
    const { code, shown } = await holdfast(['run', agent, 'x', '--queue']);
    expect(code).toBe(0);
    const cancelled = await holdfast(['cancel', shown.trim(), '--json']);
    expect(JSON.parse(cancelled.shown)).toEqual({ runId: shown.trim(), status: 'cancelling' });
    await withClient((client) => client.workflow.getHandle(shown.trim()).terminate());
  });

  it('says that a run waits when its worker was killed, though the server still lists it [api:cli]', async () => {
    await withClient(async (client) => {
      const agent = `killed-${randomUUID().slice(0, 8)}`;
      // As a killed worker leaves it: it asked for work, and will not come again.
      const killed = new AbortController();
      const asked = { namespace: 'default', taskQueue: { name: taskQueueOf(agent) } };
      const polling = client
        .withAbortSignal(killed.signal, () =>
          client.withDeadline(Date.now() + 60_000, () =>
            client.workflowService.pollWorkflowTaskQueue({ ...asked, identity: 'killed' }),
          ),
        )
        .catch(() => undefined);
      await vi.waitFor(
        async () => expect((await client.workflowService.describeTaskQueue(asked)).pollers).toHaveLength(1),
        { timeout: 30_000 },
      );
      killed.abort();
      await polling;
      const { code, shown, complaints } = await holdfast(['run', agent, 'x']);
      const runId = shown.trim();
      expect(complaints).toBe(
        'Waiting for a worker to take the run.\nno_worker: No worker has taken the run; it waits until one ' +
          `does. Start one. Or end it: holdfast cancel ${runId}.\n`,
      );
      expect(code).toBe(4);
      const handle = client.workflow.getHandle(runId);
      expect((await handle.describe()).status.name).toBe('RUNNING');
      await handle.terminate();
    });
  });

  it('ends with 3 when the run fails [api:cli]', async () => {
    await withAgent({ script: [] }, async (agent) => {
      const { code, shown } = await holdfast(['run', agent.name, 'x', '--wait']);
      expect(shown).toMatch(
        /^Run failed after [\d.]+ m?s, model_script_ended: The scripted model has no further turn\.$/m,
      );
      expect(code).toBe(3);
    });
  });
});

describe('holdfast follow', () => {
  it('says where to decide, and leaves the run to go on when it is interrupted [api:cli]', async () => {
    await withAgent(asking, async (agent) => {
      const runId = await started(agent);
      await agent.request(runId);
      const interrupts = new Interrupts(() => undefined);
      const held = vi.spyOn(interrupts, 'hold');
      const following = holdfast(['follow', runId], { interrupts });
      await vi.waitFor(() => expect(held).toHaveBeenCalled(), { timeout: 30_000 });
      interrupts.interrupt();
      const { code, complaints } = await following;
      expect([code, complaints]).toEqual([130, 'Stopped following; the run goes on.\n']);
      expect(await agent.client.pending(runId)).toHaveLength(1);
      const later = holdfast(['follow', runId]);
      await holdfast(['approve', runId, '1.1', '--yes', '--approver', 'ann']);
      const { shown } = await later;
      expect(shown).toContain(`What waits for a person: holdfast approvals ${runId}\n`);
      expect(shown).toMatch(/append {2}approved by ann \(update\)\n[^]*Over\.\n\nRun done after /);
      expect(shown).not.toContain('secret-line');
      const from = JSON.parse((await holdfast(['follow', runId, '--json', '--from', '14'])).shown);
      expect(from).toMatchObject({ runId, seq: 14, type: 'run_end', status: 'done' });
    });
  });
});

describe('what a followed run tells of a decision', () => {
  it('has on a terminal the paths that run and the reason, and in a log neither [api:cli] [events:no-args] [hitl:deny]', async () => {
    const write = (path: string) => ({ tool: 'write', args: { path, content: 'secret-text' } });
    const script = [
      { calls: [write('a.txt')] },
      { calls: [write('c.txt')] },
      { calls: [write('d.txt')] },
      { text: 'Over.' },
    ];
    await withAgent({ script, enableWriteTools: true }, async (agent) => {
      const runId = await agent.client.start({ agent: agent.name, prompt: 'x' }, `it's ${randomUUID()}`);
      await agent.request(runId);
      const args = (path: string) => ['--args', JSON.stringify({ path, content: 'x' })];
      const outside = await holdfast(['edit', runId, '1.1', '--yes', '--approver', 'eve', ...args('../x')]);
      expect(outside.code).toBe(5);
      await holdfast(['edit', runId, '1.1', '--yes', '--approver', 'ann', ...args('b.txt')]);
      await agent.request(runId);
      await holdfast(['deny', runId, '2.1', '--reason', 'Not this one.', '--approver', 'ann']);
      await agent.request(runId);
      const { shown: waiting } = await holdfast(['approvals', runId]);
      expect(waiting).toContain(`  holdfast approve 'it'\\''s ${runId.slice(5)}' 3.1\n`);
      await holdfast(['approve', runId, '3.1', '--yes', '--approver', 'ann']);
      const logged = (await holdfast(['follow', runId])).shown;
      expect(logged).toContain('    2.1  write  denied by ann (update)\n');
      expect(logged).not.toMatch(/[abc]\.txt|Not this one/);
      const shown = stripVTControlCharacters((await holdfast(['follow', runId], { answers: [] })).shown);
      expect(shown).toContain('    1.1  write  a.txt  asks  mutation\n');
      expect(shown).toContain(
        '    1.1  write  a.txt  a decision of eve (update) was refused: edit_refused\n',
      );
      expect(shown).toContain('    1.1  write  b.txt  edited by ann (update)\n');
      expect(shown).toMatch(/^ {4}1\.1 {2}write {2}b\.txt {2}ok {2}/m);
      expect(shown).toContain('    2.1  write  c.txt  denied by ann (update): Not this one.\n');
      expect(shown).not.toContain('secret-text');
      const table = (await holdfast(['show', runId])).shown;
      expect(table).toMatch(/^ {2}1\.1 +write +b\.txt +valid +inside +edited by ann \(update\) +ok /m);
      expect(table).toMatch(/^ {2}2\.1 reason +Not this one\.$/m);
      const events = (await holdfast(['follow', runId, '--json'])).shown;
      expect(events).toContain('"approver":"eve"');
      expect(events).not.toMatch(/b\.txt|Not this one/);
    });
  });

  it('says whose grant lets a call run [api:cli] [hitl:grants]', async () => {
    const { script, ...options } = asking;
    await withAgent({ ...options, script: [...script.slice(0, 1), ...script] }, async (agent) => {
      const runId = await started(agent);
      await agent.request(runId);
      await holdfast(['approve', runId, '1.1', '--yes', '--run', '--approver', 'ann']);
      await agent.client.result(runId);
      const { shown } = await holdfast(['follow', runId]);
      expect(shown).toContain('    2.1  append  runs by the grant of ann\n');
    });
  });
});

describe('holdfast runs', () => {
  it('lists the runs of an agent, page by page [api:cli]', async () => {
    await withAgent(done, async (agent) => {
      const runIds = [await started(agent), await started(agent), await started(agent)];
      for (const runId of runIds) await agent.client.result(runId);
      const list = async (...options: readonly string[]) =>
        JSON.parse((await holdfast(['runs', '--agent', agent.name, '--json', ...options])).shown) as {
          runs: { runId: string; status: string; agent: string }[];
          nextPage?: string;
        };
      await vi.waitFor(async () => expect((await list('--status', 'completed')).runs).toHaveLength(3), {
        timeout: 30_000,
      });
      const first = await list('--limit', '2');
      const second = await list('--limit', '2', '--page', first.nextPage ?? '');
      expect(first.runs).toHaveLength(2);
      expect([...first.runs, ...second.runs].map(({ runId }) => runId).toSorted()).toEqual(runIds.toSorted());
      expect(first.runs[0]).toMatchObject({ status: 'completed', agent: agent.name });
      expect((await list('--status', 'failed')).runs).toEqual([]);
      const { shown } = await holdfast(['runs', '--agent', agent.name, '--limit', '2']);
      expect(shown).toMatch(/^run +agent +status +started +ended\nrun-.* completed .*Z\n[^]*\nMore: --page /);
    });
  });

  it('tells of a run that a budget ended by which one [api:cli] [budget:exhausted]', async () => {
    const script = [{ calls: [{ tool: 'failing', args: {} }] }, { text: 'Enough.' }];
    await withAgent({ script, customTools: [failingTool], budgets: { maxErrors: 1 } }, async (agent) => {
      const runId = await started(agent);
      await agent.client.result(runId);
      await vi.waitFor(
        async () => {
          const { shown } = await holdfast(['runs', '--agent', agent.name]);
          expect(shown).toMatch(/ completed, maxErrors used up {2}/);
        },
        { timeout: 30_000 },
      );
      const { shown } = await holdfast(['runs', '--agent', agent.name, '--json']);
      expect(JSON.parse(shown)).toMatchObject({ runs: [{ status: 'completed', exhausted: 'maxErrors' }] });
    });
  });

  it.each([
    ['--query', 'nonsense ==', /^invalid_config: --query is not understood/],
    ['--page', 'nonsense', /^invalid_config: This page is none that the server gave/],
  ])('refuses a bad %s %s [api:cli]', async (option, value, line) => {
    const { code, complaints } = await holdfast(['runs', option, value]);
    expect(complaints).toMatch(line);
    expect(code).toBe(2);
  });
});

describe('holdfast show', () => {
  it('shows a run that waits, from its history, and what waits [api:cli] [audit:timeline]', async () => {
    await withAgent(asking, async (agent) => {
      const runId = await started(agent);
      await agent.request(runId);
      const { code, shown } = await holdfast(['show', runId]);
      expect(shown).toMatch(new RegExp(`^Run +${runId}\nAgent +${agent.name}\nAsked +Do it\\.\n`));
      expect(shown).toMatch(/^ {2}1\.1 +append +– +valid +no paths +– +open +–$/m);
      expect(shown).toMatch(/^Run +open$/m);
      expect(shown).toMatch(/^Waiting for a person\n {2}1\.1 {2}append {2}mutation /m);
      expect(code).toBe(0);
      const whole: unknown = JSON.parse((await holdfast(['show', runId, '--json'])).shown);
      expect(whole).toMatchObject({
        runId,
        turns: [{ turn: 0, calls: [{ number: '1.1', key: { turn: 0, index: 0 } }] }],
        pending: [{ tool: 'append', number: '1.1' }],
        grants: [],
      });
    });
  });

  it('refuses a workflow that is no run [api:cli]', async () => {
    const id = `foreign-${randomUUID()}`;
    await withClient(async (client) => {
      const handle = await client.workflow.start('other', {
        workflowId: id,
        taskQueue: taskQueueOf('other'),
      });
      const { code, complaints } = await holdfast(['show', id]);
      await handle.terminate();
      expect(complaints).toBe('unknown_run: The workflow of this id is no run of Holdfast.\n');
      expect(code).toBe(6);
    });
  });
});

describe('a run that is steered', () => {
  it('pauses, hears a message, and goes on [api:cli] [run:control]', async () => {
    await withAgent(asking, async (agent) => {
      const runId = await started(agent);
      await agent.request(runId);
      expect((await holdfast(['pause', runId, '--by', 'ann'])).code).toBe(0);
      await holdfast(['approve', runId, '1.1', '--yes']);
      await vi.waitFor(async () => expect((await agent.client.status(runId)).phase).toBe('paused'), {
        timeout: 30_000,
      });
      const told = await holdfast(['message', runId, 'Be quick.', '--json']);
      expect(JSON.parse(told.shown)).toEqual({ runId, done: true, action: 'message' });
      expect((await holdfast(['message', runId, ' '])).code).toBe(5);
      expect((await holdfast(['resume', runId])).code).toBe(0);
      await agent.client.result(runId);
      expect(JSON.stringify(agent.model.requests.at(-1)?.messages)).toContain('Be quick.');
      const late = await holdfast(['pause', runId]);
      expect(late.complaints).toMatch(/^run_closed: /);
      expect(late.code).toBe(6);
    });
  });

  it('goes on when its budgets are extended [api:cli] [budget:exhausted]', async () => {
    const failing = { tool: 'failing', args: {} };
    const budgets = { onExhausted: 'pause', maxErrors: 1, maxErrorsPerTool: { failing: 1 } } as const;
    const options = { customTools: [failingTool], budgets };
    await withAgent({ ...options, script: [{ calls: [failing] }, { text: 'done' }] }, async (agent) => {
      const runId = await started(agent);
      await vi.waitFor(async () => expect((await agent.client.status(runId)).phase).toBe('exhausted'), {
        timeout: 30_000,
      });
      expect((await holdfast(['extend', runId, '--max-tokens', '5'])).code).toBe(5);
      const waiting = (await holdfast(['show', runId])).shown;
      expect(waiting).toContain(`holdfast extend ${runId} --max-errors N\n`);
      expect(waiting).toMatch(
        /^Budget +errors 1 of 1, in a row 1 of 3, .*turns 1 of 100, errors of failing 1 of 1$/m,
      );
      expect(waiting).toMatch(/^ {2}1\.1 tool_error +\w/m);
      const more = ['--max-errors', '2', '--max-errors-of', 'failing=3'];
      const following = holdfast(['follow', runId]);
      expect((await holdfast(['extend', runId, ...more, '--by', 'a\u202enn'])).code).toBe(0);
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done' });
      const followed = (await following).shown;
      expect(followed).toContain('    budget maxErrors is used up; the run waits until it is extended\n');
      expect(followed).toContain(`    More of it: holdfast extend ${runId} --max-errors N\n`);
      const after = (await holdfast(['show', runId])).shown;
      expect(after).toMatch(/^Budget +errors 1 of 3, .*, errors of failing 1 of 4$/m);
      expect(after).toMatch(
        /^Extended +\S+Z by a\\u\{202e\}nn: maxErrors \+2, maxErrorsPerTool failing \+3$/m,
      );
      expect((await agent.client.status(runId)).extensions).toEqual([
        { by: 'a\u202enn', add: { maxErrors: 2, maxErrorsPerTool: { failing: 3 } } },
      ]);
    });
  });

  it('is cancelled once [api:cli] [run:control]', async () => {
    await withAgent(asking, async (agent) => {
      const runId = await started(agent);
      await agent.request(runId);
      expect(await holdfast(['cancel', runId, '--wait'])).toEqual({
        code: 0,
        shown: 'The run has ended.\n',
        complaints: '',
      });
      const again = await holdfast(['cancel', runId]);
      expect(again.complaints).toMatch(/^run_closed: The run has ended already/);
      expect(again.code).toBe(6);
      expect((await holdfast(['follow', runId])).code).toBe(130);
    });
  });
});
