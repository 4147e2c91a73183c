import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchSdkProgram, sdkProgramPath } from '../../../src/dev/sdk-download.js';
import { stubProgram } from './stub-program.js';

describe("the SDK's download", () => {
  let binDir: string;
  let firewall: Server;
  const sockets = new Set<Socket>();
  beforeEach(async () => {
    binDir = await mkdtemp(join(tmpdir(), 'holdfast-sdk-'));
    // Takes every connection and answers none, as a firewall that drops packets.
    firewall = createServer((socket) => sockets.add(socket.on('error', () => {})));
    await new Promise<void>((resolve) => firewall.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const socket of sockets) socket.destroy();
    firewall.close();
    await rm(binDir, { recursive: true });
  });

  it('is given up after a short time when nothing answers, and leaves nothing behind', async () => {
    const { port } = firewall.address() as AddressInfo;
    for (const name of ['HTTPS_PROXY', 'https_proxy']) vi.stubEnv(name, `http://127.0.0.1:${port}`);
    const fetched = await fetchSdkProgram('createLocal', { binDir, timeoutMs: 8_000 });
    expect(fetched).toEqual({ failed: 'it took longer than 8 s' });
    expect(sockets.size).toBeGreaterThan(0);
    expect(await readdir(binDir)).toEqual([]);
  });

  it('is not repeated when the program is there', async () => {
    const path = await stubProgram('/', sdkProgramPath('createLocal', binDir), 'true');
    expect(await fetchSdkProgram('createLocal', { binDir })).toEqual({ path });
  });

  it('keeps the two servers and the versions of the SDK apart', () => {
    expect(sdkProgramPath('createLocal', '/bin')).toBe('/bin/temporal-sdk-1.24.0');
    expect(sdkProgramPath('createTimeSkipping', '/bin')).toBe('/bin/temporal-test-server-sdk-1.24.0');
  });
});
