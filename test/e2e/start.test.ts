import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { ExecuteToolInput } from '../../src/contract/activities.js';
import { runningEmbeddedServer } from '../../src/dev/embedded-server.js';
import { failedWorkflowTasks, markers, scheduled, toldToModel, type History } from '../harness/history.js';
import { testPlaces } from '../harness/places.js';
import { completion, json, startChatServer, wireCall, type ChatServer } from '../unit/models/chat-server.js';

const PROGRAM = resolve('dist/src/cli/main.js');
const EXAMPLE = resolve('examples/fix-a-defect/workspace');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('holdfast dev', { timeout: 120_000 }, () => {
  let directory: string;
  let stateDir: string;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    directory = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-test-')));
    stateDir = join(directory, 'state');
    await mkdir(stateDir);
    await symlink(testPlaces().binDir, join(stateDir, 'bin'));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(directory, { recursive: true });
  });

  /** The built command line in a process of its own, without a terminal, told nothing by our environment. */
  function holdfast(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: directory,
      env: { PATH, HOME, HOLDFAST_STATE_DIR: stateDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const texts = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (texts.stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (texts.stderr += String(chunk)));
    const ended = new Promise<Ended>((done) => {
      child.on('close', (code) => done({ code, ...texts }));
    });
    return { child, ended };
  }

  async function onlyRun(): Promise<{ readonly runDir: string; readonly history: History }> {
    const [runId = '', ...others] = await readdir(join(stateDir, 'runs'));
    expect(others).toEqual([]);
    const runDir = join(stateDir, 'runs', runId);
    return {
      runDir,
      history: historyFromJSON(JSON.parse(await readFile(join(runDir, 'history.json'), 'utf8'))),
    };
  }

  describe('on the example', () => {
    it('mends the defect, with one refused call and two decisions by a second process [surface:print] [surface:no-shell] [risk:free] [risk:mutation] [hitl:signal] [hitl:edit-told] [audit:timeline]', async () => {
      const { code, stdout, stderr } = await holdfast(['dev', '--yes']).ended;
      expect([code, stderr]).toEqual([0, '']);

      expect(stdout).toMatch(/^Temporal: embedded server \d/);
      expect(stdout).toMatch(/^Read-only tools {6}read, grep, find, ls /m);
      expect(stdout).toMatch(/^Write-enabled tools {2}edit, write /m);
      expect(stdout).toMatch(/^Shell {16}none$/m);
      expect(stdout).toMatch(/edit {3}src\/discount\.js {2}approved by second-process \(signal\)$/m);
      expect(stdout).toMatch(/write {2}CHANGELOG\.md {2}edited by second-process \(update\)$/m);
      expect(stdout).toMatch(/^ {2}3\.1 +read +– +valid +refused +– +error path_refused +–$/m);
      expect(stdout).toMatch(/^ {2}6\.1 +write +CHANGELOG\.md +valid +inside +edited by .* ok +\d+ ms$/m);
      expect(stdout).toMatch(/^Run +done after /m);
      expect(stdout).toMatch(/^Budget +errors 1 of 10, .* turns 6 of 25$/m);
      expect(stdout).not.toContain('\u001b');
      expect(stdout).not.toContain(directory);

      const { runDir, history } = await onlyRun();
      const workspace = join(runDir, 'workspace');
      expect(spawnSync(process.execPath, ['--test'], { cwd: workspace }).status).toBe(0);
      expect(spawnSync(process.execPath, ['--test'], { cwd: EXAMPLE }).status).not.toBe(0);
      const changelog = await readFile(join(workspace, 'CHANGELOG.md'), 'utf8');
      expect(changelog).toContain(
        '- The quantity discount was missing for orders of exactly 10 or 50 pieces.\n',
      );
      expectProven(history);
      expect(await runningEmbeddedServer(stateDir)).toBeUndefined();
      // Nothing is offered that needs the server which has just stopped.
      expect(stdout).toMatch(/^History +\S+\n\nStopped: /m);
      expect(stdout).not.toMatch(/holdfast show|temporal workflow/);
    });

    it('gives its events as lines of JSON and nothing besides [api:cli] [events:stream] [events:no-args]', async () => {
      const { code, stdout, stderr } = await holdfast(['dev', '--json']).ended;
      expect([code, stderr]).toEqual([0, '']);
      const events = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { seq: number; type: string });
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
      expect(events.filter(({ type }) => type === 'approval_decided')).toHaveLength(2);
      expect(events.at(-1)).toMatchObject({ type: 'run_end', status: 'done' });
      expect(stdout).not.toContain('CHANGELOG');
      expect(stdout).not.toContain(directory);
    });
  });

  /** Five executions of six calls, each after the two verdicts on its digest, and what was edited ran. */
  function expectProven(history: History): void {
    const executions = scheduled(history, 'executeTool').map(({ eventId, input }) => ({
      eventId,
      input: input as ExecuteToolInput,
    }));
    expect(executions.map(({ input }) => [input.call.turn, input.tool, input.authorization.kind])).toEqual([
      [0, 'grep', 'free'],
      [1, 'read', 'free'],
      [3, 'read', 'free'],
      [4, 'edit', 'decision'],
      [5, 'write', 'decision'],
    ]);
    for (const { eventId, input } of executions) {
      const verdicts = markers(history).filter((marker) => marker.eventId < eventId);
      const about = JSON.stringify(verdicts.map((marker) => marker.result)).split(
        input.validation.argsDigest,
      );
      expect(about.length).toBeGreaterThan(2);
    }
    expect(JSON.stringify(executions.at(-1)?.input.args)).toContain('exactly 10 or 50 pieces');
    expect(toldToModel(history).map(({ status }) => status)).toEqual(['ok', 'ok', 'error', 'ok', 'ok', 'ok']);
    const arrived = (history.events ?? []).map((event) => [
      event.workflowExecutionSignaledEventAttributes?.signalName,
      event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.name,
    ]);
    expect(arrived.flat().filter(Boolean)).toEqual(['approval', 'decideApproval']);
    expect(failedWorkflowTasks(history)).toBe(0);
  }

  describe('on the caller’s own files', () => {
    let model: ChatServer;
    let own: string;

    beforeEach(async () => {
      model = await startChatServer();
      own = join(directory, 'own');
      await mkdir(own);
      await writeFile(join(own, 'notes.txt'), 'old\n');
    });
    afterEach(() => model.close());

    const onOwn = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
      holdfast(['dev', '--workspace', 'own', '--prompt', 'Renew the notes.', ...args], {
        TEMPORAL_ADDRESS: inject('temporalAddress'),
        HOLDFAST_MODEL_BASE_URL: model.baseUrl,
        HOLDFAST_MODEL: 'test-model',
        ...env,
      });

    /** Asks for one write, then ends. */
    function writeOnce(): void {
      const args = JSON.stringify({ path: 'notes.txt', content: 'new\n' });
      model.answer((response) => {
        const first = model.requests.length === 1;
        const answer = first
          ? completion({ content: '', tool_calls: [wireCall('c', 'write', args)] }, 'tool_calls')
          : completion({ content: 'Done what I could.' });
        answer(response);
      });
    }

    it('changes them where write tools are enabled and somebody approves [risk:mutation]', async () => {
      writeOnce();
      const { code, stdout, stderr } = await onOwn(['--yes'], { ENABLE_WRITE_TOOLS: 'true' }).ended;
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^Temporal: server .*TEMPORAL_ADDRESS/);
      expect(stdout).toMatch(/approved by second-process \(signal\)/);
      expect(stdout).toContain('Done what I could.');
      expect(stdout).toMatch(/was not started here and goes on\.\n$/);
      const [, shownBy = ''] = /^ +npx holdfast (show dev-\S+)$/m.exec(stdout) ?? [];
      const again = await holdfast(shownBy.split(' '), { TEMPORAL_ADDRESS: inject('temporalAddress') }).ended;
      expect([again.code, again.stderr]).toEqual([0, '']);
      expect(again.stdout).toContain('Done what I could.');
      expect(await readFile(join(own, 'notes.txt'), 'utf8')).toBe('new\n');
    });

    it('offers no write tool unless it is enabled [surface:print]', async () => {
      writeOnce();
      const { code, stdout } = await onOwn().ended;
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Write-enabled tools {2}none /m);
      expect(stdout).toMatch(/^ {2}1\.1 +write .* error unknown_tool/m);
      expect(await readFile(join(own, 'notes.txt'), 'utf8')).toBe('old\n');
    });

    it('ends with exit code 3 and the reason when the model refuses [api:cli]', async () => {
      model.answer(json(401, { error: { message: 'no' } }));
      const { code, stdout } = await onOwn().ended;
      expect(code).toBe(3);
      expect(stdout).toMatch(/^Run +failed after [\d.]+ m?s, model_failed: /m);
    });

    it('cancels the run when it is interrupted, and reports it [api:cli]', async () => {
      model.answer(() => undefined);
      const { child, ended } = onOwn();
      await vi.waitUntil(() => model.requests.length === 1, { timeout: 60_000 });
      child.kill('SIGINT');
      const { code, stdout, stderr } = await ended;
      expect([code, stderr]).toEqual([130, 'Stopping. Ctrl-C again quits at once.\n']);
      expect(stdout).toMatch(/^Run +cancelled after /m);
      expect(model.abandoned()).toBe(1);
      const { history } = await onlyRun();
      expect(history.events?.at(-1)?.workflowExecutionCanceledEventAttributes).toBeDefined();
    });
  });
});
