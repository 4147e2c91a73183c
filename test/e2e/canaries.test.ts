import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { inProject, Processes, type Running } from '../cli/processes.js';

/** Whatever a run holds that is nobody's but the run's own bears this word. */
const CANARY = 'canary-7f3a';

const AGENT = `
import { defineAgent, defineTool, RetryableToolError, ScriptedModel, ToolOutcome, type Agent } from 'holdfast';

const parameters = {
  type: 'object',
  properties: { line: { type: 'string' }, path: { type: 'string' } },
  additionalProperties: false,
} as const;
const tool = (name: string, riskLevel: 'safe' | 'mutation', handler: () => string | ToolOutcome) =>
  defineTool({ name, description: 'x', riskLevel, parameters, idempotent: name === 'flaky', maxAttempts: name === 'flaky' ? 2 : undefined }, handler);
const call = (tool: string, more = {}) => ({ tool, args: { line: '${CANARY}-argument', ...more } });

export const scribe: Agent = defineAgent({
  name: 'scribe',
  instructions: '${CANARY}-instructions',
  workspace: 'workspace',
  model: new ScriptedModel([
    {
      text: '${CANARY}-words',
      calls: [
        call('fine', { path: '${CANARY}-path' }),
        call('throws'),
        call('fails'),
        call('flaky'),
        call('fine', { path: '../${CANARY}-outside' }),
        call('fine', { more: '${CANARY}-invalid' }),
        call('${CANARY} no tool'),
      ],
    },
    { calls: [call('asked')] },
    { calls: [call('asked')] },
    { text: 'Over.' },
  ]),
  budgets: { maxErrors: 50, maxConsecutiveErrors: 50 },
  customTools: [
    tool('fine', 'safe', () => '${CANARY}-output'),
    tool('throws', 'safe', () => { throw new Error('${CANARY}-thrown'); }),
    tool('fails', 'safe', () => ToolOutcome.error('${CANARY}-error')),
    tool('flaky', 'safe', () => { throw new RetryableToolError('${CANARY}-passing'); }),
    tool('asked', 'mutation', () => '${CANARY}-output'),
  ],
});
`;

/** A tool that nothing stops, for the second interrupt. */
const STUBBORN = `
import { defineAgent, defineTool, ScriptedModel, type Agent } from 'holdfast';

export const scribe: Agent = defineAgent({
  name: 'scribe',
  instructions: 'x',
  workspace: 'workspace',
  model: new ScriptedModel([{ calls: [{ tool: 'stubborn', args: {} }] }, { text: 'Over.' }]),
  customTools: [
    defineTool(
      { name: 'stubborn', description: 'x', riskLevel: 'safe', parameters: { type: 'object' } },
      () => new Promise<string>((resolve) => setTimeout(() => resolve('late'), 600_000)),
    ),
  ],
});
`;

describe('a worker and those who follow', { timeout: 180_000 }, () => {
  const processes = new Processes();
  afterEach(() => processes.killAll());

  async function working(directory: string): Promise<Running> {
    // Nobody listens there, which the log tells.
    const secret = `whsec_${Buffer.from(CANARY.repeat(3)).toString('base64')}`;
    const webhooks = [{ url: `http://127.0.0.1:1/${CANARY}-hook`, secret }];
    await writeFile(join(directory, 'webhooks.json'), JSON.stringify(webhooks), { mode: 0o600 });
    const worker = processes.start(directory, ['worker', 'agent.ts'], {
      env: { HOLDFAST_WEBHOOKS: 'webhooks.json' },
    });
    await vi.waitFor(() => expect(worker.texts.stdout).toContain('Working.'), { timeout: 60_000 });
    return worker;
  }

  it('say nothing that a run holds: no argument, output, path, reason, message or word of the model [events:no-args] [secure:secrets]', async () => {
    await inProject(AGENT, async (directory) => {
      const said = async (...args: readonly string[]) => {
        const { code, stdout, stderr } = await processes.start(directory, args).ended;
        expect([code, stderr]).toEqual([0, '']);
        return stdout;
      };
      const worker = await working(directory);
      const runId = (await said('run', 'scribe', `${CANARY}-prompt`)).trim();
      const following = [[], ['--json']].map((json) =>
        processes.start(directory, ['follow', runId, ...json]),
      );
      const asks = (call: string) =>
        vi.waitFor(async () => expect(await said('approvals')).toContain(`${runId}  ${call}  asked`), {
          timeout: 60_000,
        });
      await asks('2.1');
      await said('message', runId, `${CANARY}-message`);
      await said('deny', runId, '2.1', '--reason', `${CANARY}-reason`);
      await asks('3.1');
      // Refused: the tool takes no such argument.
      const refused = ['edit', runId, '3.1', '--yes', '--args', `{"line":7,"${CANARY}":1}`];
      expect((await processes.start(directory, refused).ended).code).toBe(5);
      await said('approve', runId, '3.1', '--yes');
      const followed = await Promise.all(following.map(({ ended }) => ended));
      worker.child.kill('SIGTERM');
      const logged = await worker.ended;

      const texts = [...followed, logged].flatMap(({ stdout, stderr }) => [stdout, stderr]);
      expect(texts.flatMap((text) => text.split('\n').filter((line) => line.includes(CANARY)))).toEqual([]);
      expect(texts.filter((text) => text.includes(directory))).toEqual([]);
      // What was said instead.
      expect(logged.stderr).toMatch(/Activity failed.*executeTool/);
      expect(logged.stderr).toMatch(/Activity failed.*announceRequest/);
      expect(texts.join('')).not.toContain(Buffer.from(CANARY.repeat(3)).toString('base64'));
      const events = followed[1]?.stdout ?? '';
      for (const type of ['tool_execution_end', 'tool_not_executed', 'approval_refused', 'run_message']) {
        expect(events).toContain(`"type":"${type}"`);
      }
      expect(events).toContain('"toolName":"?"');
      expect(followed[0]?.stdout).toMatch(/denied by .*\n[^]*\nRun done after /);
      // And what those who may decide are shown is another thing.
      expect(await said('show', runId, '--json')).toContain(`${CANARY}-argument`);
    });
  });

  it('leave at once with 130 at the second interrupt, also when a tool does not stop [api:cli]', async () => {
    await inProject(STUBBORN, async (directory) => {
      const worker = await working(directory);
      const { stdout } = await processes.start(directory, ['run', 'scribe', 'x']).ended;
      const follower = processes.start(directory, ['follow', stdout.trim(), '--json']);
      await vi.waitFor(() => expect(follower.texts.stdout).toContain('tool_execution_start'), {
        timeout: 60_000,
      });
      worker.child.kill('SIGINT');
      await vi.waitFor(() => expect(worker.texts.stderr).toContain('Stopping: '), { timeout: 60_000 });
      expect(worker.child.exitCode).toBeNull();
      worker.child.kill('SIGINT');
      const { code, stderr } = await worker.ended;
      expect([code, stderr]).toEqual([
        130,
        'Stopping: running tools have their time. Again quits at once.\n',
      ]);
      follower.child.kill('SIGINT');
      expect(await follower.ended).toMatchObject({
        code: 130,
        stderr: 'Stopped following; the run goes on.\n',
      });
    });
  });
});
