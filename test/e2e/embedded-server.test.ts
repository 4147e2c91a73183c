import { spawn } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import {
  runningEmbeddedServer,
  startEmbeddedServer,
  stopEmbeddedServer,
  type EmbeddedServer,
} from '../../src/dev/embedded-server.js';
import { findServer } from '../../src/dev/server-process.js';
import type { TemporalBinary } from '../../src/dev/temporal-binary.js';
import { withClient } from '../harness/temporal.js';
import { stubProgram } from '../unit/dev/stub-program.js';

const BUILT = join(dirname(createRequire(import.meta.url).resolve('holdfast/workflow-bundle')), 'src', 'dev');

describe('the embedded server', () => {
  let root: string;
  let stateDir: string;
  const others: number[] = [];
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'holdfast embedded '));
    stateDir = join(root, 'state');
  });
  afterEach(async () => {
    await stopEmbeddedServer(stateDir);
    for (const pid of others.splice(0)) process.kill(pid, 'SIGKILL');
    await rm(root, { recursive: true });
  });

  const binary = (path = inject('temporalBinary')): TemporalBinary => ({ path, from: 'a test', version: '' });
  const start = (path?: string): Promise<EmbeddedServer> =>
    startEmbeddedServer({ stateDir, obtainBinary: async () => binary(path) });

  /** Starts the server from a Node process of its own, as `holdfast` does. */
  function startElsewhere(directory = stateDir): Promise<EmbeddedServer> {
    const code = `import { startEmbeddedServer } from './embedded-server.js';
      const [, stateDir, path] = process.argv;
      const obtainBinary = async () => ({ path, from: 'a test', version: '' });
      console.log(JSON.stringify(await startEmbeddedServer({ stateDir, obtainBinary })));`;
    const args = ['--input-type=module', '--eval', code, directory, binary().path];
    const child = spawn(process.execPath, args, { cwd: BUILT, stdio: ['ignore', 'pipe', 'inherit'] });
    return new Promise((resolve, reject) => {
      let out = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
      child.on('error', reject);
      child.on('close', (code) => {
        if (code === 0) resolve(JSON.parse(out) as EmbeddedServer);
        else reject(new Error(`A starting process ended with code ${code}.`));
      });
    });
  }

  async function killHard({ pid }: EmbeddedServer): Promise<void> {
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(async () => expect(await runningEmbeddedServer(stateDir)).toBeUndefined(), {
      timeout: 30_000,
    });
  }

  const startUnpolled = (address: string, workflowId: string): Promise<unknown> =>
    withClient(
      (client) => client.workflow.start('nobodyPolls', { workflowId, taskQueue: 'nobody', args: [{ a: 1 }] }),
      address,
    );

  const statusOf = (address: string, workflowId: string): Promise<string> =>
    withClient(
      async (client) => (await client.workflow.getHandle(workflowId).describe()).status.name,
      address,
    );

  it('takes work as soon as it is started, its data readable by the owner alone', async () => {
    const server = await start();
    await startUnpolled(server.address, 'first');
    expect(await statusOf(server.address, 'first')).toBe('RUNNING');
    expect((await stat(stateDir)).mode & 0o077).toBe(0);
  });

  it('keeps histories for 90 days', async () => {
    const { address, facts } = await start();
    expect(facts.retentionMs).toBe(90 * 24 * 3600_000);
    const { config } = await withClient(
      (client) => client.workflowService.describeNamespace({ namespace: 'default' }),
      address,
    );
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(90 * 24 * 3600);
  });

  it('is one for five processes that start it at once, and outlives them all', async () => {
    const servers = await Promise.all(Array.from({ length: 5 }, () => startElsewhere()));
    expect(new Set(servers.map(({ pid, address }) => `${pid} ${address}`)).size).toBe(1);
    expect(await runningEmbeddedServer(stateDir)).toMatchObject({ pid: servers[0]?.pid });
  });

  it('is the same under another spelling of the state directory', async () => {
    const server = await start();
    await symlink(stateDir, join(root, 'link'));
    expect(await startElsewhere(join(root, 'link'))).toMatchObject({ pid: server.pid });
  });

  it('is another one for another state directory', async () => {
    const server = await start();
    const other = await startElsewhere(join(root, 'other'));
    expect(other.address).not.toBe(server.address);
    expect(await stopEmbeddedServer(join(root, 'other'))).toBe(true);
    expect(await runningEmbeddedServer(stateDir)).toMatchObject({ pid: server.pid });
  });

  it('keeps a waiting workflow over kill -9, and comes back at the same address', async () => {
    const before = await start();
    await startUnpolled(before.address, 'kept');
    await killHard(before);
    const after = await startElsewhere();
    expect(after).toMatchObject({ address: before.address });
    expect(after.pid).not.toBe(before.pid);
    expect(await statusOf(after.address, 'kept')).toBe('RUNNING');
  });

  it('keeps a waiting workflow over a stop', async () => {
    const before = await start();
    await startUnpolled(before.address, 'kept');
    expect(await stopEmbeddedServer(stateDir)).toBe(true);
    expect(await findServer(join(await realpath(stateDir), 'temporal.db'))).toBeUndefined();
    const after = await start();
    expect(await statusOf(after.address, 'kept')).toBe('RUNNING');
  });

  it('is stopped whole when the program was a script that runs the real one', async () => {
    await start(await stubProgram(root, 'temporal', `'${inject('temporalBinary')}' "$@"`));
    expect(await stopEmbeddedServer(stateDir)).toBe(true);
    expect(await findServer(join(await realpath(stateDir), 'temporal.db'))).toBeUndefined();
  });

  it('takes another port when its own was taken meanwhile', async () => {
    const before = await start();
    await killHard(before);
    const port = before.address.split(':')[1] ?? '';
    const code = `require('node:net').createServer().listen(${port}, '127.0.0.1', () => console.log('taken'))`;
    const occupant = spawn(process.execPath, ['--eval', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (occupant.pid !== undefined) others.push(occupant.pid);
    await new Promise((resolve) => occupant.stdout.once('data', resolve));
    expect((await start()).address).not.toBe(before.address);
  });

  it('is started although the lock of a killed process and a damaged port file are left', async () => {
    await killHard(await start());
    await writeFile(join(stateDir, 'server.port'), 'x');
    const code = `import { withStateLock } from './state-lock.js';
      await withStateLock(process.argv[1], async () => { console.log('held'); process.kill(process.pid, 'SIGKILL'); });`;
    const holder = spawn(process.execPath, ['--input-type=module', '--eval', code, stateDir], { cwd: BUILT });
    await new Promise((resolve) => holder.once('close', resolve));
    expect((await stat(join(stateDir, 'server.lock'))).isDirectory()).toBe(true);
    await expect(start()).resolves.toMatchObject({ pid: expect.any(Number) });
  });

  it('is known again when the process that started it died before it could write the port down', async () => {
    const server = await start();
    await rm(join(stateDir, 'server.port'));
    expect(await startElsewhere()).toMatchObject({ pid: server.pid, address: server.address });
  });

  it('is not mistaken for a process of another program that merely names its database', async () => {
    const args = [
      '--eval',
      'setInterval(() => {}, 1000)',
      '--',
      '--db-filename',
      join(stateDir, 'temporal.db'),
    ];
    const other = spawn(process.execPath, args, { stdio: 'ignore' });
    if (other.pid !== undefined) others.push(other.pid);
    expect(await runningEmbeddedServer(stateDir)).toBeUndefined();
    expect(await stopEmbeddedServer(stateDir)).toBe(false);
    expect(other.exitCode).toBeNull();
  });

  it('is started tuned, headless and for this machine alone, and says where to look when it ends at once', async () => {
    const program = await stubProgram(root, 'temporal', 'echo "$@"');
    await expect(start(program)).rejects.toMatchObject({
      code: 'temporal_unavailable',
      message:
        'The Temporal server (a test) ended right after its start; temporal.log in the state directory says why.',
    });
    const log = await readFile(join(stateDir, 'temporal.log'), 'utf8');
    expect(
      log
        .replaceAll(await realpath(stateDir), 'STATE')
        .replaceAll(/--port \d+/g, '--port N')
        .split('\n')[0],
    ).toBe(
      'server start-dev --db-filename STATE/temporal.db --port N --ip 127.0.0.1 --headless --log-level warn' +
        ' --dynamic-config-value history.transferProcessorMaxPollRPS=500' +
        ' --dynamic-config-value history.timerProcessorMaxPollRPS=500' +
        ' --dynamic-config-value history.maxInFlightUpdatePayloads=2621440',
    );
  });

  it('says the same of a program that cannot be started', async () => {
    await expect(start(join(root, 'missing'))).rejects.toMatchObject({ code: 'temporal_unavailable' });
  });

  it('is neither started nor made by a look at a state directory without one', async () => {
    expect(await runningEmbeddedServer(stateDir)).toBeUndefined();
    expect(await stopEmbeddedServer(stateDir)).toBe(false);
    await expect(stat(stateDir)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('writes its own complaints to its log', async () => {
    await start();
    await stopEmbeddedServer(stateDir);
    expect(await readFile(join(stateDir, 'temporal.log'), 'utf8')).toContain('Temporal Server:');
  });
});
