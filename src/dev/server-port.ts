import { readFile, rename, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { HoldfastError } from '../contract/error-codes.js';

const HOST = '127.0.0.1';

/** The port that the server of this state directory last had, or undefined. */
export async function lastPort(stateDir: string): Promise<number | undefined> {
  const text = await readFile(portFile(stateDir), 'utf8').catch(() => '');
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65536 ? port : undefined;
}

/** Remembers the port for the next start, so that what was connected finds the server again. */
export async function rememberPort(stateDir: string, port: number): Promise<void> {
  const unfinished = `${portFile(stateDir)}.${process.pid}`;
  await writeFile(unfinished, `${port}\n`);
  await rename(unfinished, portFile(stateDir));
}

/**
 * The wanted port when it is free, else a free one. Another program may still take it before it is used; the
 * system itself does not give it away again for a while.
 */
export async function freePort(wanted = 0): Promise<number> {
  const port = (await tryPort(wanted)) ?? (await tryPort(0));
  if (port === undefined) {
    throw new HoldfastError(
      'temporal_unavailable',
      'No port of 127.0.0.1 is free for the embedded Temporal server.',
    );
  }
  return port;
}

/** Whether anything accepts connections there. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: HOST, port });
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(undefined));
    // A connection closed by the listening side first leaves the port in TIME_WAIT: on Linux no other program is
    // then given it by chance, while a program that names it may listen there.
    server.on('connection', (socket) => {
      socket.on('close', () => server.close());
      socket.destroy();
    });
    server.listen({ host: HOST, port, exclusive: true }, () => {
      const address = server.address();
      const free = typeof address === 'object' ? address?.port : undefined;
      server.on('close', () => resolve(free));
      if (free !== undefined)
        connect({ host: HOST, port: free })
          .on('error', () => server.close())
          .resume();
    });
  });
}

function portFile(stateDir: string): string {
  return join(stateDir, 'server.port');
}
