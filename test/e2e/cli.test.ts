import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runningEmbeddedServer } from '../../src/dev/embedded-server.js';
import { inProject, Processes } from '../cli/processes.js';

/** Writes one line, after somebody approved. */
const AGENT = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineAgent, defineTool, ScriptedModel, type Agent } from 'holdfast';

const note = defineTool(
  {
    name: 'note',
    description: 'Notes a line.',
    riskLevel: 'mutation',
    parameters: {
      type: 'object',
      properties: { line: { type: 'string', minLength: 1 } },
      required: ['line'],
      additionalProperties: false,
    },
  },
  async ({ line }, { workspace }) => {
    await appendFile(join(workspace.root, 'notes.txt'), line + '\\n');
    return 'Noted.';
  },
);

export const scribe: Agent = defineAgent({
  name: 'scribe',
  instructions: 'Note what you are told.',
  workspace: 'workspace',
  protectedPaths: ['diary/**'],
  model: new ScriptedModel([{ calls: [{ tool: 'note', args: { line: 'milk' } }] }, { text: 'It is noted.' }]),
  customTools: [note],
});
`;

describe('the command line', { timeout: 180_000 }, () => {
  const processes = new Processes();
  afterEach(() => processes.killAll());
  const holdfast = (directory: string, args: readonly string[], input = '') =>
    processes.start(directory, args, { input });

  it('takes a run from a TypeScript module to its end, with a process for each verb and the server that the worker started [api:cli] [surface:print] [hitl:durable]', async () => {
    await inProject(AGENT, async (directory) => {
      const say = async (...args: readonly string[]) => {
        const { code, stdout, stderr } = await holdfast(directory, args).ended;
        expect([code, stderr.replace(/^Waiting for .*\n/, '')]).toEqual([0, '']);
        return stdout;
      };
      const first = holdfast(directory, ['worker', 'agent.ts']);
      await vi.waitFor(() => expect(first.texts.stdout).toContain('Working.'), { timeout: 60_000 });
      expect(first.texts.stdout).toMatch(/^Temporal: embedded server /m);
      expect(first.texts.stdout).toMatch(/^Agent {16}scribe$/m);
      expect(first.texts.stdout).toMatch(/^Write-enabled tools {2}note /m);
      expect(first.texts.stdout).toMatch(/^Shell {16}none$/m);
      expect(first.texts.stdout).toMatch(/^Protected too {8}diary\/\*\* \(neither read nor written\)$/m);

      const run = await holdfast(directory, ['run', 'scribe', '-'], 'Note milk.\n').ended;
      expect([run.code, run.stderr.replace(/^Waiting for .*\n/, '')]).toEqual([0, '']);
      const runId = run.stdout.trim();
      expect(await say('show', runId)).toMatch(/^Asked +Note milk\.$/m);
      await vi.waitFor(async () => expect(await say('approvals')).toContain(`${runId}  1.1  note`), {
        timeout: 60_000,
      });
      first.child.kill('SIGTERM');
      const { code, stdout, stderr } = await first.ended;
      expect([code, stderr]).toEqual([0, 'Stopping: running tools have their time. Again quits at once.\n']);
      expect(stdout).toMatch(/Stopped\. The embedded Temporal server goes on .* kill \d+ ends it\.\n$/);

      expect(await say('runs')).toMatch(new RegExp(`^${runId} +scribe +running `, 'm'));
      const second = holdfast(directory, ['worker', 'agent.ts', '--json']);
      await vi.waitFor(() => expect(second.texts.stdout).toContain('\n'), { timeout: 60_000 });
      expect(JSON.parse(second.texts.stdout)).toMatchObject({
        event: 'working',
        agents: [{ agent: 'scribe', protectedPaths: expect.arrayContaining(['.env', 'diary/**']) }],
        temporal: { embedded: true },
      });
      const edited = await say(
        'edit',
        runId,
        '1.1',
        '--yes',
        '--args',
        '{"line":"oat milk"}',
        '--approver',
        'ann',
      );
      expect(edited).toBe(`Approved as edited: note, call 1.1 of ${runId}.\n`);
      const followed = await say('follow', runId);
      expect(followed).toMatch(/note {2}edited by ann \(update\)\n[^]*It is noted\.\n\nRun done after /);
      expect(await readFile(join(directory, 'workspace', 'notes.txt'), 'utf8')).toBe('oat milk\n');
      second.child.kill('SIGINT');
      expect((await second.ended).code).toBe(0);
      expect(await say('show', runId)).toMatch(/^ {2}1\.1 +note .* edited by ann \(update\) +ok /m);
    });
  });

  it('says that no worker answers, and shows what the history tells [api:cli]', async () => {
    await inProject(AGENT, async (directory) => {
      const worker = holdfast(directory, ['worker', 'agent.ts']);
      await vi.waitFor(() => expect(worker.texts.stdout).toContain('Working.'), { timeout: 60_000 });
      const runId = (await holdfast(directory, ['run', 'scribe', 'x']).ended).stdout.trim();
      worker.child.kill('SIGTERM');
      await worker.ended;
      const approve = await holdfast(directory, ['approve', runId, '1.1', '--yes']).ended;
      expect(approve.stderr).toMatch(
        /^(Waiting for a worker .*\n)?no_worker: No worker of this agent answers\. Start one with .*\n$/,
      );
      expect(approve.code).toBe(4);
      const approvals = await holdfast(directory, ['approvals', '--json']).ended;
      expect([approvals.code, approvals.stderr]).toEqual([0, '']);
      const show = await holdfast(directory, ['show', runId]).ended;
      expect(show.stderr).toMatch(/^no_worker: What waits for a person is not known\./m);
      expect(show.stdout).toMatch(new RegExp(`^Run +${runId}$`, 'm'));
      expect(show.code).toBe(0);
    });
  });

  it('refuses a switch that is neither true nor false, HOLDFAST_DEBUG too [api:cli]', async () => {
    await inProject(AGENT, async (directory) => {
      const env = { HOLDFAST_DEBUG: 'maybe' };
      const { code, stdout, stderr } = await processes.start(directory, ['runs'], { env }).ended;
      expect(stderr).toBe('invalid_config: HOLDFAST_DEBUG must be true or false.\n');
      expect([code, stdout]).toEqual([2, '']);
    });
  });

  it('starts no server for a module that is refused [api:cli]', async () => {
    await inProject(AGENT, async (directory) => {
      const { code, stdout, stderr } = await holdfast(directory, ['worker', 'agent.ts', 'missing.js']).ended;
      expect(stderr).toBe('invalid_module: missing.js: there is no such file.\n');
      expect([code, stdout]).toEqual([2, '']);
      expect(await runningEmbeddedServer(join(directory, 'state'))).toBeUndefined();
    });
  });
});
