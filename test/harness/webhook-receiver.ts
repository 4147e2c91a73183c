import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';
import type { Webhook } from '../../src/webhooks/webhooks.js';

/** What a receiver got, whole. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebhookReceiver {
  /** Where it is, and what it checks signatures with. */
  readonly webhook: Webhook;
  readonly received: readonly Received[];
  /** Waits until it got so many. */
  got(count: number): Promise<readonly Received[]>;
}

/** Answers the nth message, from 0; one that does nothing lets the sender wait. */
export type Answer = (response: ServerResponse, place: number) => void;

const SECRET = `whsec_${Buffer.from('a key of the tests, thirty-two b').toString('base64')}`;

/** A real HTTP server that takes messages, closed after the body. Default: it takes them all. */
export async function withReceiver(
  body: (receiver: WebhookReceiver) => Promise<void>,
  answer: Answer = (response) => response.writeHead(204).end(),
): Promise<void> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const place = received.length;
      received.push({
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      answer(response, place);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  try {
    await body({
      webhook: { name: 'ops', url: `http://127.0.0.1:${port}/hook-of-the-team`, secret: SECRET },
      received,
      got: (count) =>
        vi.waitFor(
          () => {
            if (received.length < count) throw new Error(`${received.length} messages of ${count}`);
            return received;
          },
          { timeout: 30_000, interval: 20 },
        ),
    });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
