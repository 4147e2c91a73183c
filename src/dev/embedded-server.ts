import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError } from '../contract/error-codes.js';
import { probeTemporal, type NamespaceFacts } from './probe-temporal.js';
import { findServer, serverArguments } from './server-process.js';
import { accepts, freePort, lastPort, rememberPort } from './server-port.js';
import { withStateLock } from './state-lock.js';
import type { TemporalBinary } from './temporal-binary.js';

/** The one embedded server of a state directory. */
export interface EmbeddedServer {
  /** `127.0.0.1:port`. */
  readonly address: string;
  readonly pid: number;
  readonly facts: NamespaceFacts;
}

export interface EmbeddedServerOptions {
  /** Made when it is not there, readable by its owner alone. */
  readonly stateDir: string;
  /** Called only when no server runs, while other processes wait. */
  readonly obtainBinary: () => Promise<TemporalBinary>;
}

const NAMESPACE = 'default';
/** `audit:archive`: the embedded server keeps 90 days. */
const RETENTION_MS = 90 * 24 * 3600_000;
/** Measured: 1 s alone; the rest is for a loaded machine and a large database. */
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;
const POLL_MS = 50;

/**
 * Measured: a run's steps go two to four times as fast as with the default of 20 a second. And a worker's answer
 * repeats every update that it judged: 20 MiB of them at once, the default, would terminate the run, since a
 * message has at most 4 MiB (`run:payloads`).
 */
const TUNING = [
  'history.transferProcessorMaxPollRPS=500',
  'history.timerProcessorMaxPollRPS=500',
  'history.maxInFlightUpdatePayloads=2621440',
].flatMap((value) => ['--dynamic-config-value', value]);

/**
 * The embedded server of a state directory: the running one, or one started now. It answers when this resolves,
 * keeps its database in the directory, and outlives this process: it stays until `stopEmbeddedServer`. However
 * many processes call this at once, one server runs. After a kill, a reboot or a stop it is started again on
 * the same database, and on the same port when that is free.
 * Throws a HoldfastError `temporal_unavailable` when it does not come up.
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  await mkdir(options.stateDir, { recursive: true, mode: 0o700 });
  const stateDir = await realpath(options.stateDir);
  return (
    (await runningEmbeddedServer(stateDir)) ??
    withStateLock(
      stateDir,
      async (stillHeld) =>
        (await runningEmbeddedServer(stateDir)) ?? (await start(stateDir, options.obtainBinary, stillHeld)),
    )
  );
}

/** The running server of a state directory once it answers, or undefined. Starts nothing. */
export async function runningEmbeddedServer(stateDir: string): Promise<EmbeddedServer | undefined> {
  const directory = await realpath(stateDir).catch(() => undefined);
  if (directory === undefined) return undefined;
  const found = await findServer(databaseOf(directory));
  if (!found) return undefined;
  const isAlive = async () => (await findServer(databaseOf(directory)))?.pid === found.pid;
  const facts = await untilReady(found.port, isAlive);
  return facts && { address: addressOf(found.port), pid: found.pid, facts };
}

/** Stops the server of a state directory, gently first. False when none ran. Its database stays. */
export async function stopEmbeddedServer(stateDir: string): Promise<boolean> {
  const directory = await realpath(stateDir).catch(() => undefined);
  if (directory === undefined) return false;
  return withStateLock(directory, async () => {
    const deadline = Date.now() + STOP_LIMIT_MS;
    // More than one when `temporal` on PATH is a script that runs the program.
    const told = new Set<number>();
    for (;;) {
      const found = await findServer(databaseOf(directory));
      if (!found) return told.size > 0;
      if (Date.now() > deadline) kill(found.pid, 'SIGKILL');
      else if (!told.has(found.pid)) kill(found.pid, 'SIGTERM');
      told.add(found.pid);
      await delay(POLL_MS);
    }
  });
}

async function start(
  stateDir: string,
  obtainBinary: () => Promise<TemporalBinary>,
  stillHeld: () => void,
): Promise<EmbeddedServer> {
  const binary = await obtainBinary();
  const first = await freePort(await lastPort(stateDir));
  // A second port for the case that another program took the first between the look and the start.
  for (const port of [first, await freePort()]) {
    stillHeld();
    const child = spawnServer(stateDir, binary.path, port);
    const facts = await untilReady(port, () => isRunning(child));
    if (facts && child.pid !== undefined) {
      await rememberPort(stateDir, port);
      return { address: addressOf(port), pid: child.pid, facts };
    }
  }
  throw new HoldfastError(
    'temporal_unavailable',
    `The Temporal server (${binary.from}) ended right after its start; temporal.log in the state directory says why.`,
  );
}

function spawnServer(stateDir: string, program: string, port: number): ChildProcess {
  const log = openSync(join(stateDir, 'temporal.log'), 'a', 0o600);
  try {
    const args = [
      ...serverArguments(databaseOf(stateDir), port),
      ...['--ip', '127.0.0.1', '--headless', '--log-level', 'warn'],
      ...TUNING,
    ];
    const child = spawn(program, args, { cwd: stateDir, detached: true, stdio: ['ignore', log, log] });
    // Without a listener a program that cannot be started would end this process.
    child.on('error', () => {});
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** The facts once the namespace answers; undefined when the server ended instead. */
async function untilReady(
  port: number,
  isAlive: () => boolean | Promise<boolean>,
): Promise<NamespaceFacts | undefined> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (await isAlive()) {
    if (await accepts(port)) {
      const options = { namespace: NAMESPACE, raiseRetentionToMs: RETENTION_MS };
      const facts = await probeTemporal({ address: addressOf(port) }, options).catch(() => undefined);
      if (facts) return facts;
    }
    if (Date.now() > deadline) {
      throw new HoldfastError(
        'temporal_unavailable',
        'The embedded Temporal server runs but does not answer; stop it and start again. temporal.log in the state directory may say why.',
      );
    }
    await delay(POLL_MS);
  }
  return undefined;
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}

function addressOf(port: number): string {
  return `127.0.0.1:${port}`;
}

function databaseOf(stateDir: string): string {
  return join(stateDir, 'temporal.db');
}
