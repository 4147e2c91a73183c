import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatRequest {
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly messages: readonly Record<string, unknown>[];
    readonly tools?: readonly unknown[];
    readonly tool_choice?: unknown;
  };
}

/** Answers one request in any way; never ending the response is a hang. */
export type ChatAnswer = (response: ServerResponse) => void;

/** A real HTTP server that speaks the OpenAI-compatible format as a test tells it to. */
export interface ChatServer {
  readonly baseUrl: string;
  /** Every request that arrived, oldest first. */
  readonly requests: readonly ChatRequest[];
  /** How many requests the client closed before they were answered. */
  readonly abandoned: () => number;
  /** What the next requests get. */
  answer(next: ChatAnswer): void;
  close(): Promise<void>;
}

export async function startChatServer(): Promise<ChatServer> {
  const requests: ChatRequest[] = [];
  let abandoned = 0;
  let answer: ChatAnswer = json(500, {});
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) abandoned += 1;
    });
    void readBody(request).then((body) => {
      const { url = '', headers } = request;
      requests.push({ url, authorization: headers.authorization, body: JSON.parse(body) });
      return answer(response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    abandoned: () => abandoned,
    answer: (next) => {
      answer = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): ChatAnswer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** A chat completion with this message. */
export function completion(
  message: Record<string, unknown>,
  finishReason: string | null = 'stop',
): ChatAnswer {
  return json(200, {
    id: 'chat-1',
    object: 'chat.completion',
    created: 1,
    model: 'test-model',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finishReason }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  });
}

/** A call as it stands on the wire. */
export function wireCall(id: string | null, name: string, args: string): Record<string, unknown> {
  return { id, type: 'function', function: { name, arguments: args } };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
