import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { accepts, freePort, lastPort, rememberPort } from '../../../src/dev/server-port.js';

describe('the port of the embedded server', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function occupy(port = 0): Promise<number> {
    const server = createServer();
    servers.push(server);
    await new Promise<void>((resolve, reject) =>
      server.on('error', reject).listen(port, '127.0.0.1', resolve),
    );
    return (server.address() as AddressInfo).port;
  }

  it('is the wanted one when that is free, and can be used at once', async () => {
    const port = await freePort();
    expect(await freePort(port)).toBe(port);
    expect(await accepts(port)).toBe(false);
    await occupy(port);
    expect(await accepts(port)).toBe(true);
  });

  it('is another one when the wanted one is taken', async () => {
    const taken = await occupy();
    const port = await freePort(taken);
    expect(port).not.toBe(taken);
    await occupy(port);
  });

  it('is never the same for several that ask at once', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(ports).size).toBe(50);
  });

  it.each(['', 'x', '0', '-1', '70000', '1.5'])(
    'is not remembered from a damaged file: "%s"',
    async (text) => {
      const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-port-'));
      await rememberPort(stateDir, 12345);
      expect(await lastPort(stateDir)).toBe(12345);
      await writeFile(join(stateDir, 'server.port'), text);
      expect(await lastPort(stateDir)).toBeUndefined();
      await rm(stateDir, { recursive: true });
    },
  );
});
