import { createServer, connect, type Socket } from 'node:net';

/** A way to a server that can be cut and mended. */
export interface Proxy {
  readonly address: string;
  /** Ends every connection and refuses new ones. */
  cut(): void;
  mend(): void;
}

/** Runs the body with a proxy before the server at `host:port`. */
export async function withProxy(target: string, body: (proxy: Proxy) => Promise<void>): Promise<void> {
  const [host = '', port = ''] = target.split(':');
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(port), host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  try {
    await body({
      address: `127.0.0.1:${address.port}`,
      cut: () => {
        isCut = true;
        end();
      },
      mend: () => {
        isCut = false;
      },
    });
  } finally {
    end();
    server.close();
  }
}
