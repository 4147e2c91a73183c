import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedServer, stopEmbeddedServer } from '../src/dev/embedded-server.js';
import { obtainTemporal } from '../src/dev/temporal-binary.js';
import { SERVER_KEY } from './harness/keys.js';
import { testPlaces } from './harness/places.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of the one server that all tests share: `127.0.0.1:port`. */
    temporalAddress: string;
    /** The Temporal CLI in use, for a test that starts a server of its own. */
    temporalBinary: string;
    /** What workers load as `workflowBundle: { codePath }`. */
    workflowBundle: string;
    /** The private key that the tests' workers trust, for a command line. */
    signingKeyFile: string;
  }
}

/**
 * One embedded server for the whole run, on disk, in a state directory of its own: never the server that the
 * caller's environment names. Fetched programs stay in the project, so a second run downloads nothing.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const workflowBundle = createRequire(import.meta.url).resolve('holdfast/workflow-bundle');
  if (!existsSync(workflowBundle)) throw new Error('Run `npm run build` first: tests use what it makes.');
  const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-tests-'));
  const teardown = async (): Promise<void> => {
    await stopEmbeddedServer(stateDir);
    await rm(stateDir, { recursive: true, force: true });
  };
  try {
    const binary = await obtainTemporal(testPlaces(), console.log);
    const { address } = await startEmbeddedServer({ stateDir, obtainBinary: async () => binary });
    project.provide('temporalAddress', address);
    project.provide('temporalBinary', binary.path);
    const signingKeyFile = join(stateDir, 'test-key.json');
    await writeFile(signingKeyFile, JSON.stringify(SERVER_KEY.secret), { mode: 0o600 });
    project.provide('signingKeyFile', signingKeyFile);
    project.provide('workflowBundle', workflowBundle);
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }
}
