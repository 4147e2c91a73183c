import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ModelMessage, ModelRequest } from '../../../src/models/model.js';
import { ModelFailure } from '../../../src/models/model.js';
import { openAiCompatibleModel } from '../../../src/models/openai-compatible.js';
import {
  completion,
  json,
  startChatServer,
  wireCall,
  type ChatAnswer,
  type ChatServer,
} from './chat-server.js';

const CANARY = 'sk-canary-5f3a9c';

let server: ChatServer;
beforeEach(async () => {
  server = await startChatServer();
});
afterEach(() => server.close());

const request = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  instructions: 'Be brief.',
  messages: [{ role: 'user', text: 'go' }],
  tools: [{ name: 'read', description: 'Reads.', parameters: { type: 'object', properties: {} } }],
  signal: new AbortController().signal,
  ...over,
});

const generate = (over: Partial<ModelRequest> = {}) =>
  openAiCompatibleModel({ baseUrl: server.baseUrl, model: 'test-model', apiKey: CANARY }).generate(
    request(over),
  );

async function failureOf(answer: ChatAnswer): Promise<ModelFailure> {
  server.answer(answer);
  const failure: unknown = await generate().catch((error: unknown) => error);
  if (!(failure instanceof ModelFailure)) throw new Error('expected a ModelFailure', { cause: failure });
  return failure;
}

const echo = (...ids: string[]): ModelMessage => ({
  role: 'assistant',
  content: {
    text: '',
    calls: ids.map((providerCallId, index) => ({
      providerCallId,
      tool: 'echo',
      argsText: `{"v":${index}}`,
    })),
  },
});
const result = (providerCallId: string, text: string): ModelMessage => ({
  role: 'tool',
  providerCallId,
  tool: 'echo',
  status: 'ok',
  text,
});

describe('a model behind an OpenAI-compatible endpoint', () => {
  it('sends instructions, messages and tools in one request, with the key as a bearer token [model:providers]', async () => {
    server.answer(completion({ content: 'done' }));
    await generate();
    expect(server.requests).toEqual([
      {
        url: '/v1/chat/completions',
        authorization: `Bearer ${CANARY}`,
        body: {
          model: 'test-model',
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'go' },
          ],
          tools: [
            {
              type: 'function',
              function: {
                name: 'read',
                description: 'Reads.',
                parameters: { type: 'object', properties: {} },
              },
            },
          ],
          tool_choice: 'auto',
        },
      },
    ]);
  });

  it('sends no tools when there are none, and no system message without instructions [budget:exhausted]', async () => {
    server.answer(completion({ content: 'done' }));
    await generate({ tools: [], instructions: '' });
    expect(server.requests[0]?.body).toEqual({
      model: 'test-model',
      messages: [{ role: 'user', content: 'go' }],
    });
  });

  it('sends no authorization without a key [model:providers]', async () => {
    server.answer(completion({ content: 'done' }));
    await openAiCompatibleModel({ baseUrl: server.baseUrl, model: 'test-model' }).generate(request());
    expect(server.requests[0]?.authorization).toBeUndefined();
  });

  it('gives text, calls in order with their raw arguments, finish reason and usage [model:providers]', async () => {
    const calls = [
      wireCall('a', 'read', '{"path": 1.0}'),
      wireCall('', 'read', '{"path":'),
      wireCall('a', 'x', ''),
    ];
    server.answer(completion({ content: 'I read.', tool_calls: calls }, 'tool_calls'));
    await expect(generate()).resolves.toEqual({
      text: 'I read.',
      calls: [
        { providerCallId: 'a', tool: 'read', argsText: '{"path": 1.0}' },
        { providerCallId: '', tool: 'read', argsText: '{"path":' },
        { providerCallId: 'a', tool: 'x', argsText: '' },
      ],
      finishReason: 'tool_calls',
      usage: { inputTokens: 11, outputTokens: 7 },
    });
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['tool_calls', 'tool_calls'],
    ['content_filter', 'content_filter'],
    ['something_new', 'other'],
    [null, 'other'],
  ])('reads the finish reason %s as %s [model:providers]', async (wire, finishReason) => {
    server.answer(completion({ content: '' }, wire));
    await expect(generate()).resolves.toMatchObject({ finishReason });
  });

  it('says nothing of tokens that the provider did not count [model:providers]', async () => {
    server.answer(json(200, { choices: [{ message: { content: 'x' }, finish_reason: 'stop' }] }));
    await expect(generate()).resolves.toMatchObject({ usage: {} });
  });

  it('pairs calls and results by unique ids when those of the provider are empty, repeated or reused [outcome:key] [H13]', async () => {
    const messages: ModelMessage[] = [
      { role: 'user', text: 'go' },
      echo('', ''),
      result('', '0.0'),
      result('', '0.1'),
      echo('c', 'c'),
      result('c', '1.0'),
      result('c', '1.1'),
      echo('c'),
      result('c', '2.0'),
    ];
    server.answer(completion({ content: 'done' }));
    await generate({ messages });

    const pairs = pairsOf(server.requests[0]?.body.messages ?? []);
    expect(pairs.map(({ result }) => result)).toEqual(['0.0', '0.1', '1.0', '1.1', '2.0']);
    expect(pairs.map(({ args }) => args)).toEqual(['{"v":0}', '{"v":1}', '{"v":0}', '{"v":1}', '{"v":0}']);
    expect(new Set(pairs.map(({ id }) => id)).size).toBe(5);
    expect(pairs[2]?.id).toBe('c');
  });

  it.each<[number, unknown, { retryable: boolean; advice: RegExp }]>([
    [
      400,
      { error: { message: 'bad', type: 'invalid_request_error' } },
      { retryable: false, advice: /400, invalid_request_error\).*schemas/ },
    ],
    [
      401,
      { error: { message: `wrong key ${CANARY}`, code: 'invalid_api_key' } },
      { retryable: false, advice: /401, invalid_api_key\).*API key/ },
    ],
    [
      403,
      { error: { message: CANARY, type: CANARY, code: CANARY } },
      { retryable: false, advice: /403\).*may use this model/ },
    ],
    [404, {}, { retryable: false, advice: /404\).*base URL and the name of the model/ }],
    [413, {}, { retryable: false, advice: /413\).*smaller task/ }],
    [418, {}, { retryable: false, advice: /418\)/ }],
    [408, {}, { retryable: true, advice: /408\)/ }],
    [409, {}, { retryable: true, advice: /409\)/ }],
    [
      429,
      { error: { message: CANARY, type: 'insufficient_quota' } },
      { retryable: true, advice: /429, insufficient_quota\)/ },
    ],
    [500, { error: { message: CANARY } }, { retryable: true, advice: /500\)/ }],
    [503, 'no object', { retryable: true, advice: /503\)/ }],
    [529, {}, { retryable: true, advice: /529\)/ }],
  ])(
    'turns status %i into one failure after one request, without a word of the provider [model:failures] [model:clean]',
    async (status, body, { retryable, advice }) => {
      const failure = await failureOf(json(status, body, { 'x-request-key': CANARY }));
      expect(failure).toMatchObject({ retryable, code: 'model_failed' });
      expect(failure.message).toMatch(advice);
      expect(everythingIn(failure)).not.toContain(CANARY);
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each<[string, number, string]>([
    [
      'OpenAI',
      400,
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ],
    ['Anthropic', 400, 'prompt is too long: 208310 tokens > 200000 maximum'],
    ['llama.cpp', 500, 'the request exceeds the available context size, try increasing it'],
  ])(
    'takes a transcript too long for a model of %s for final, whatever the status [model:failures]',
    async (_, status, message) => {
      const failure = await failureOf(json(status, { error: { message, code: null } }));
      expect(failure).toMatchObject({ retryable: false });
      expect(failure.message).toContain('longer than the model takes');
    },
  );

  it.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '7' }, 1500],
    ['nothing', {}, undefined],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
  ])('honours a Retry-After of %s [model:failures]', async (_, headers, retryAfterMs) => {
    expect((await failureOf(json(429, {}, headers))).retryAfterMs).toBe(retryAfterMs);
  });

  it('does not take a final failure for one to wait for [model:failures]', async () => {
    expect((await failureOf(json(401, {}, { 'retry-after': '7' }))).retryAfterMs).toBeUndefined();
  });

  it.each<[string, ChatAnswer]>([
    ['is no JSON', (response) => response.writeHead(200).end(`<html>${CANARY}</html>`)],
    ['is empty', (response) => response.writeHead(200).end()],
    ['holds no choices', json(200, { choices: [], key: CANARY })],
    ['is of another shape', json(200, { hello: CANARY })],
    [
      'is cut off',
      (response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"choices":', () => response.destroy());
      },
    ],
  ])(
    'may ask again when the answer %s, and repeats none of it [model:failures] [model:clean]',
    async (_, answer) => {
      const failure = await failureOf(answer);
      expect(failure).toMatchObject({ retryable: true });
      expect(everythingIn(failure)).not.toContain(CANARY);
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each<[string, ChatAnswer]>([['is cut', (response) => void response.destroy()]])(
    'may ask again when the connection %s [model:failures]',
    async (_, answer) => {
      expect(await failureOf(answer)).toMatchObject({
        retryable: true,
        message: expect.stringContaining('connection to the model provider failed'),
      });
      expect(server.requests).toHaveLength(1);
    },
  );

  it('may ask again when nothing listens, without naming the address [model:failures] [model:clean]', async () => {
    await server.close();
    const failure: unknown = await generate().catch((error: unknown) => error);
    expect(failure).toMatchObject({ retryable: true });
    expect(everythingIn(failure)).not.toContain('127.0.0.1');
  });

  it('closes its request when the signal is aborted, and throws the reason [model:failures]', async () => {
    server.answer(() => undefined);
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const answer = generate({ signal: controller.signal });
    answer.catch(() => undefined);
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), { timeout: 30_000 });
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    await vi.waitFor(() => expect(server.abandoned()).toBe(1), { timeout: 30_000 });
  });

  it.each(['', 'api.example.com/v1', 'file:///v1', `ftp://${CANARY}@host/v1`])(
    'refuses the base URL %j at once, without repeating it [model:clean]',
    (baseUrl) => {
      expect(() => openAiCompatibleModel({ baseUrl, model: 'm' })).toThrow(
        expect.objectContaining({ code: 'invalid_config', message: expect.not.stringContaining(CANARY) }),
      );
    },
  );

  it('names the model, and no address or key, for the manifest [model:clean]', () => {
    const model = openAiCompatibleModel({ baseUrl: server.baseUrl, model: 'test-model', apiKey: CANARY });
    expect(model.id).toBe('openai-compatible/test-model');
  });
});

/** Message, stack and every own member, as a log or a history might write them. */
function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) throw new Error('expected an Error');
  return [
    error.message,
    error.stack,
    String(error.cause),
    JSON.stringify(error, Object.getOwnPropertyNames(error)),
  ].join('\n');
}

/** Each call on the wire beside the one result that has its id. */
function pairsOf(
  messages: readonly Record<string, unknown>[],
): { id: string; args: string; result: unknown }[] {
  return messages.flatMap(({ tool_calls }) => {
    const calls = (tool_calls ?? []) as { id: string; function: { arguments: string } }[];
    return calls.map(({ id, function: { arguments: args } }) => {
      const results = messages.filter((message) => message.tool_call_id === id);
      expect(results).toHaveLength(1);
      return { id, args, result: results[0]?.content };
    });
  });
}
