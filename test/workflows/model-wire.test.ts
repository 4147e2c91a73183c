import type { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it, vi } from 'vitest';
import { openAiCompatibleModel } from '../../src/models/openai-compatible.js';
import { withAgent, type TestAgent, type TestAgentOptions } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { attempts, failedWorkflowTasks, scheduled, textsOf, toldToModel } from '../harness/history.js';
import {
  completion,
  json,
  startChatServer,
  wireCall,
  type ChatAnswer,
  type ChatServer,
} from '../unit/models/chat-server.js';

// A provider on the wire of a real run: what it answers, how often it is asked, and what the history keeps of it.

const KEY = 'canary-key-5f1d';
const BODY = 'canary-body-93ac';
const HEADER = 'canary-header-0b7e';
/** Stands in every request body, and nowhere else. */
const REQUEST = '"role":"system"';

async function withWire(
  options: Partial<TestAgentOptions>,
  body: (agent: TestAgent, server: ChatServer) => Promise<void>,
): Promise<void> {
  const server = await startChatServer();
  const model = openAiCompatibleModel({ baseUrl: server.baseUrl, model: 'm', apiKey: KEY });
  try {
    await withAgent({ model, modelMaxAttempts: 2, script: [], ...options }, (agent) => body(agent, server));
  } finally {
    await server.close();
  }
}

/** Answers the requests in this order; the last answer again for each further one. */
function inOrder(server: ChatServer, ...answers: readonly ChatAnswer[]): void {
  server.answer((response) => answers[Math.min(server.requests.length, answers.length) - 1]?.(response));
}

/** Ends as failed; gives the failure, and shows that the history keeps nothing of the wire (`model:clean`). */
async function failureOf(agent: TestAgent, runId: string): Promise<Error | undefined> {
  const error = await agent.client.result(runId).catch((cause: unknown) => cause);
  await expectClean(agent, runId);
  return (error as WorkflowFailedError).cause;
}

async function expectClean(agent: TestAgent, runId: string): Promise<void> {
  const history = await agent.history(runId);
  const found = (canary: string): boolean => textsOf(history).some((text) => text.includes(canary));
  expect([KEY, BODY, HEADER, REQUEST].filter(found)).toEqual([]);
  // The search can find something: what is recorded on purpose.
  expect(found('"openai-compatible/m"')).toBe(true);
  expect(failedWorkflowTasks(history)).toBe(0);
}

const refusal = (status: number, headers: Record<string, string> = {}): ChatAnswer =>
  json(status, { error: { message: `${BODY} ${KEY}` } }, { 'x-request-id': HEADER, ...headers });

const raw =
  (text: string, headers: Record<string, string> = {}): ChatAnswer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': HEADER, ...headers });
    response.end(text);
  };

/** Announces more than it sends, then closes the connection. */
const cutOff: ChatAnswer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
  response.write(`{"id":"${BODY}`, () => response.destroy());
};

const silent: ChatAnswer = () => undefined;

const endless: ChatAnswer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': HEADER });
  response.write(`{"id":"${BODY}`);
};

const FINAL = 1;
const RETRIED = 2;

describe.concurrent('a provider that fails every request of a run', () => {
  it.each<{ what: string; answer: ChatAnswer; asked: number; reason: RegExp; modelTimeoutMs?: number }>([
    { what: '400', answer: refusal(400), asked: FINAL, reason: /status 400.*check that the model takes/ },
    { what: '401', answer: refusal(401), asked: FINAL, reason: /status 401.*check the API key/ },
    { what: '403', answer: refusal(403), asked: FINAL, reason: /status 403/ },
    { what: '404', answer: refusal(404), asked: FINAL, reason: /status 404.*check the base URL/ },
    {
      what: 'a context that is too long',
      answer: json(400, { error: { message: BODY, code: 'context_length_exceeded' } }),
      asked: FINAL,
      reason: /longer than the model takes/,
    },
    {
      what: '429 with Retry-After',
      answer: refusal(429, { 'retry-after-ms': '20' }),
      asked: RETRIED,
      reason: /status 429.*limited/,
    },
    { what: '500', answer: refusal(500), asked: RETRIED, reason: /status 500.*failing/ },
    { what: '503', answer: refusal(503), asked: RETRIED, reason: /status 503.*failing/ },
    {
      what: 'a body that is not JSON',
      answer: raw(`<html>${BODY}</html>`),
      asked: RETRIED,
      reason: /could not be read/,
    },
    { what: 'JSON that ends too early', answer: raw(`{"id":"${BODY}`), asked: RETRIED, reason: /be read/ },
    { what: 'JSON that is no answer', answer: raw(`{"x":"${BODY}"}`), asked: RETRIED, reason: /be read/ },
    {
      what: 'a body that is cut off',
      answer: cutOff,
      asked: RETRIED,
      reason: /could not be read|connection/,
    },
    {
      what: 'silence',
      answer: silent,
      asked: RETRIED,
      reason: /did not answer within 300 ms/,
      modelTimeoutMs: 300,
    },
    {
      what: 'a body that never ends',
      answer: endless,
      asked: RETRIED,
      reason: /did not answer within 300 ms/,
      modelTimeoutMs: 300,
    },
  ])(
    'by $what is asked $asked times, and the run ends with the reason alone [model:failures] [model:clean]',
    async ({ answer, asked, reason, modelTimeoutMs = 120_000 }) => {
      await withWire({ modelTimeoutMs }, async (agent, server) => {
        server.answer(answer);
        const runId = await agent.start();
        expect(await failureOf(agent, runId)).toMatchObject({
          type: 'holdfast.model_failed',
          message: expect.stringMatching(reason),
        });
        expect(server.requests).toHaveLength(asked);
        expect(attempts(await agent.history(runId), 'callModel')).toEqual([asked]);
        expect(server.requests[0]?.authorization).toBe(`Bearer ${KEY}`);
      });
    },
  );
});

describe.concurrent('a provider that fails once', () => {
  it.each<{ what: string; answer: ChatAnswer; waits?: { seconds: number; nanos: number } }>([
    {
      what: 'asking to wait',
      answer: refusal(429, { 'retry-after-ms': '250' }),
      waits: { seconds: 0, nanos: 250_000_000 },
    },
    {
      what: 'asking to wait for a second',
      answer: refusal(503, { 'retry-after': '1' }),
      waits: { seconds: 1, nanos: 0 },
    },
    { what: 'without asking to wait', answer: refusal(500) },
    { what: 'by an answer that is cut off', answer: cutOff },
  ])(
    '$what is asked again, after that time, and the run goes on [model:failures] [model:clean]',
    async (c) => {
      await withWire({}, async (agent, server) => {
        inOrder(server, c.answer, completion({ content: 'done' }));
        const runId = await agent.start();
        expect(await agent.client.result(runId)).toMatchObject({ status: 'done', text: 'done' });
        await expectClean(agent, runId);
        const history = await agent.history(runId);
        expect(attempts(history, 'callModel')).toEqual([2]);
        expect(server.requests).toHaveLength(2);
        const [last] = (history.events ?? []).flatMap(
          (event) => event.activityTaskStartedEventAttributes?.lastFailure?.applicationFailureInfo ?? [],
        );
        expect(last?.type).toBe('holdfast.model_failed');
        const delay = last?.nextRetryDelay;
        expect(delay ? { seconds: Number(delay.seconds), nanos: delay.nanos } : undefined).toEqual(c.waits);
      });
    },
  );
});

describe.concurrent('an answer that ended for its length', () => {
  it('runs none of its calls, and the model is told [model:failures] [schema:truncated-turn] [H11]', async () => {
    await withWire({ customTools: [effectTool('effect', 'safe')] }, async (agent, server) => {
      const calls = [wireCall('1', 'effect', '{"line":"x"}'), wireCall('2', 'effect', '{"line":"y')];
      inOrder(
        server,
        completion({ content: null, tool_calls: calls }, 'length'),
        completion({ content: 'done' }),
      );
      const runId = await agent.start();
      expect(await agent.client.result(runId)).toMatchObject({ status: 'done', budget: { errors: 2 } });
      const history = await agent.history(runId);
      expect(scheduled(history, 'executeTool')).toEqual([]);
      expect(toldToModel(history)).toMatchObject([{ status: 'error' }, { status: 'error' }]);
      expect(attempts(history, 'callModel')).toEqual([1, 1]);
      expect(server.requests).toHaveLength(2);
      await expectClean(agent, runId);
    });
  });

  it('is no failure: the run ends with what was said, and says that it was cut [model:failures]', async () => {
    await withWire({}, async (agent, server) => {
      server.answer(completion({ content: 'so f' }, 'length'));
      const runId = await agent.start();
      expect(await agent.client.result(runId)).toMatchObject({ text: 'so f', finishReason: 'length' });
      expect(server.requests).toHaveLength(1);
    });
  });
});

describe.concurrent('a run that is cancelled while its provider is asked', () => {
  it.each([
    ['is silent', silent],
    ['sends without end', endless],
  ])('closes the connection of a provider that %s [model:failures] [run:control]', async (_what, answer) => {
    await withWire({}, async (agent, server) => {
      server.answer(answer);
      const runId = await agent.start();
      await vi.waitFor(() => expect(server.requests).toHaveLength(1), { timeout: 30_000 });
      await agent.client.cancel(runId);
      expect(await failureOf(agent, runId)).toMatchObject({ name: 'CancelledFailure' });
      await vi.waitFor(() => expect(server.abandoned()).toBe(1), { timeout: 30_000 });
      expect(server.requests).toHaveLength(1);
      expect(await agent.client.status(runId)).toMatchObject({ phase: 'ended', budget: { errors: 0 } });
    });
  });
});
