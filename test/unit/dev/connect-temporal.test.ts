import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { HoldfastClient } from '../../../src/client.js';
import { readConfig } from '../../../src/config.js';
import { openTemporal } from '../../../src/dev/connect-temporal.js';
import { diagnose } from '../../../src/dev/doctor.js';
import { stopEmbeddedServer } from '../../../src/dev/embedded-server.js';
import { freePort } from '../../../src/dev/server-port.js';

describe('openTemporal with a server that the environment names', () => {
  let stateDir: string;
  beforeEach(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'holdfast-open-'));
  });
  afterEach(() => rm(stateDir, { recursive: true }));

  const configured = (env: Record<string, string>) => readConfig({ HOLDFAST_STATE_DIR: stateDir, ...env });

  it('uses that server, says so in one line, and starts none', async () => {
    const address = inject('temporalAddress');
    expect(await openTemporal(configured({ TEMPORAL_ADDRESS: address }))).toMatchObject({
      connection: { address },
      namespace: 'default',
      embedded: false,
      source: expect.stringMatching(
        new RegExp(
          `^Temporal: server \\d+\\.\\d+\\.\\d+ at ${address}, namespace default \\(TEMPORAL_ADDRESS\\)\\.$`,
        ),
      ),
    });
    expect(await readdir(stateDir)).toEqual([]);
  });

  it('fails when nothing answers there, and never uses another server instead', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    await expect(openTemporal(configured({ TEMPORAL_ADDRESS: address }))).rejects.toMatchObject({
      code: 'temporal_unavailable',
      message: `No Temporal server answers at ${address}, which TEMPORAL_ADDRESS names. Correct it, or unset it to use the embedded server.`,
    });
    expect(await readdir(stateDir)).toEqual([]);
  });

  it('fails when the namespace does not exist', async () => {
    const env = { TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_NAMESPACE: 'nowhere' };
    await expect(openTemporal(configured(env))).rejects.toThrow('There is no namespace nowhere at');
  });
});

describe('openTemporal with nothing named', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'holdfast-open-'));
  });
  afterEach(async () => {
    await stopEmbeddedServer(join(root, 'state'));
    await rm(root, { recursive: true });
  });

  it('starts the embedded server, then finds it running, and says which in one line', async () => {
    const config = readConfig({ HOLDFAST_STATE_DIR: join(root, 'state'), PATH: root });
    await symlink(inject('temporalBinary'), join(root, 'temporal'));
    const first = await openTemporal(config);
    const { address } = first.connection;
    expect(first).toMatchObject({ namespace: 'default', embedded: true });
    expect(first.source).toMatch(
      /^Temporal: embedded server [\d.]+ at 127\.0\.0\.1:\d+ \(started from temporal on PATH\), data in the state directory\.$/,
    );
    const second = await openTemporal(config);
    expect(second.connection).toEqual({ address });
    expect(second.source).toContain('(it was running)');

    const client = await HoldfastClient.connect(second);
    await client.close();
    expect(await diagnose(config)).toContainEqual({
      name: 'Temporal',
      status: 'ok',
      detail: expect.stringMatching(`^embedded server [\\d.]+ runs at ${address}$`),
    });
  });
});
