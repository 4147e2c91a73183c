import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { CancelledFailure } from '@temporalio/common';
import type { Logger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCallModel } from '../../activities/call-model.js';
import type { CallModelInput, CallModelResult } from '../../src/contract/activities.js';
import { HoldfastError } from '../../src/contract/error-codes.js';
import type { Digest } from '../../src/contract/json.js';
import { DEFAULT_BUDGETS } from '../../src/policy/budget.js';
import type { Manifest } from '../../src/contract/manifest.js';
import type { TranscriptEntry } from '../../src/contract/transcript.js';
import { ModelFailure, type Model, type ModelResponse } from '../../src/models/model.js';
import { openAiCompatibleModel } from '../../src/models/openai-compatible.js';
import { ScriptedModel, type ScriptedTurn } from '../../src/models/scripted-model.js';
import { loadChain, nodeDigest } from '../../src/transcript/chain.js';
import { FileTranscriptStore } from '../../src/transcript/file-store.js';
import { completion, json, startChatServer, type ChatServer } from '../unit/models/chat-server.js';

const TOOL: Manifest['tools'][number] = {
  name: 'read',
  description: 'Reads, as recorded.',
  riskLevel: 'read_only',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  schemaDigest: 'f'.repeat(64),
  pathArgs: ['path'],
  timeoutMs: 1000,
  heartbeatMs: 1000,
  idempotent: false,
  maxAttempts: 1,
  parallel: false,
  repeatable: false,
  maxOutputBytes: 1000,
  previews: false,
  source: 'builtin',
  dialect: '2020-12',
};

const MANIFEST: Manifest = {
  version: 1,
  agent: { name: 'tester', version: '0' },
  modelId: 'scripted',
  instructions: 'Recorded instructions.',
  tools: [TOOL],
  budgets: DEFAULT_BUDGETS,
  approvalTimeoutMs: 1000,
  modelTimeoutMs: 60_000,
  modelMaxAttempts: 4,
  requireApprovalFor: [],
  protectedPaths: [],
  approvals: {},
  maxParallelCalls: 10,
  continueAfterEvents: 8000,
  workspaceDigest: 'e'.repeat(64),
  salt: 'salt',
};

const user = (text: string): TranscriptEntry => ({ kind: 'user', text });
const result = (turn: number, index: number, stored: Digest): TranscriptEntry => ({
  kind: 'tool_result',
  call: { turn, index },
  providerCallId: '',
  tool: 'read',
  status: 'ok',
  text: { stored },
});

let stateDir: string;
let store: FileTranscriptStore;
let manifestDigest: Digest;

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'holdfast-call-model-'));
  store = new FileTranscriptStore(stateDir);
  manifestDigest = await record({});
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(stateDir, { recursive: true, force: true });
});

const record = (over: Partial<Manifest>): Promise<Digest> => store.put({ ...MANIFEST, ...over });

const nothing = (): void => undefined;
const silent: Logger = {
  log: nothing,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};
const environment = (info: { heartbeatTimeoutMs?: number } = {}): MockActivityEnvironment =>
  new MockActivityEnvironment(info, { logger: silent });

const inputOf = (over: Partial<CallModelInput> = {}): CallModelInput => ({
  runId: 'run-1',
  agent: 'tester',
  manifestDigest,
  turn: 0,
  head: null,
  append: [user('go')],
  tools: 'surface',
  ...over,
});

function call(
  model: Model,
  over: Partial<CallModelInput> = {},
  env = environment(),
): Promise<CallModelResult> {
  const activity = createCallModel({ agentOf: () => ({ model }), transcript: store });
  return env.run(activity, inputOf(over));
}

/** Waits for ever, heeding the signal or not. */
const hanging = (heeds: boolean): ScriptedModel =>
  new ScriptedModel([
    ({ signal }) =>
      new Promise((_, reject) => {
        if (heeds) signal.addEventListener('abort', () => reject(signal.reason));
      }),
  ]);

async function signalOf(model: ScriptedModel): Promise<AbortSignal> {
  await vi.waitFor(() => expect(model.requests).toHaveLength(1), { timeout: 30_000 });
  const [request] = model.requests;
  if (!request) throw new Error('nothing was asked');
  return request.signal;
}

describe('callModel', () => {
  it('asks with the recorded instructions and tools, whatever the worker holds today [risk:pinned] [run:transcript]', async () => {
    const model = new ScriptedModel([{ text: 'done' }]);
    await call(model);
    expect(model.requests).toMatchObject([
      {
        instructions: 'Recorded instructions.',
        messages: [{ role: 'user', text: 'go' }],
        tools: [{ name: 'read', description: 'Reads, as recorded.', parameters: TOOL.parameters }],
      },
    ]);
    expect(Object.keys(model.requests[0]?.tools[0] ?? {})).toEqual(['name', 'description', 'parameters']);
  });

  it('offers no tools for the last word [budget:exhausted]', async () => {
    const model = new ScriptedModel([{ text: 'done' }]);
    await call(model, { tools: 'none' });
    expect(model.requests[0]?.tools).toEqual([]);
  });

  it('takes no calls from a last word, where none was offered and none could have an outcome [budget:exhausted] [outcome:status]', async () => {
    const model = new ScriptedModel([{ text: 'done', calls: [{ tool: 'read', args: {} }] }]);
    const { content } = await call(model, { tools: 'none' });
    expect(content).toEqual({ text: 'done', calls: [] });
  });

  it('gives what the model said and the head of two new nodes, which an auditor can recompute [run:transcript]', async () => {
    const model = new ScriptedModel([
      { text: 'I read.', calls: [{ tool: 'read', args: '{"path": "a"}' }], usage: { inputTokens: 3 } },
    ]);
    const answer = await call(model);
    const content = {
      text: 'I read.',
      calls: [{ providerCallId: 'call_0_0', tool: 'read', argsText: '{"path": "a"}' }],
    };
    const asked = nodeDigest({ version: 1, parent: null, manifest: manifestDigest, entries: [user('go')] });
    const head = nodeDigest({
      version: 1,
      parent: asked,
      manifest: manifestDigest,
      entries: [{ kind: 'assistant', content }],
    });
    expect(answer).toEqual({ content, finishReason: 'tool_calls', usage: { inputTokens: 3 }, head });
    await expect(loadChain(store, manifestDigest, head)).resolves.toEqual([
      user('go'),
      { kind: 'assistant', content },
    ]);
  });

  it('goes on from a head after a restart, with nothing in memory: the whole chain reaches the model [run:transcript] [run:crash]', async () => {
    const script: ScriptedTurn[] = [{ calls: [{ tool: 'read', args: {}, id: '' }] }, { text: 'second' }];
    const first = await call(new ScriptedModel(script));
    const output = await store.put({ text: 'the file' });
    store = new FileTranscriptStore(stateDir);
    const model = new ScriptedModel(script);
    const second = await call(model, { turn: 1, head: first.head, append: [result(0, 0, output)] });
    expect(second.content.text).toBe('second');
    expect(model.requests[0]?.messages).toEqual([
      { role: 'user', text: 'go' },
      { role: 'assistant', content: first.content },
      { role: 'tool', providerCallId: '', tool: 'read', status: 'ok', text: 'the file' },
    ]);
  });

  it('gives the same answer and head in a repeated attempt [run:crash]', async () => {
    const script: ScriptedTurn[] = [{ text: 'same' }];
    expect(await call(new ScriptedModel(script))).toEqual(await call(new ScriptedModel(script)));
  });

  it('appends no node when there is nothing new [run:transcript]', async () => {
    const script: ScriptedTurn[] = [{ text: 'one' }, { text: 'two' }];
    const first = await call(new ScriptedModel(script));
    const second = await call(new ScriptedModel(script), { head: first.head, append: [] });
    await expect(store.get(second.head)).resolves.toMatchObject({ parent: first.head });
  });

  it('returns what it stored when the model wrote what no digest can be taken of [run:transcript]', async () => {
    const { content, head } = await call(
      new ScriptedModel([{ text: 'x\ud800', calls: [{ tool: 'read', args: '{"path":"\ud800"}' }] }]),
    );
    expect(content.text).toBe('x\ufffd');
    await expect(loadChain(store, manifestDigest, head)).resolves.toContainEqual({
      kind: 'assistant',
      content,
    });
  });

  it.each<[string, ScriptedTurn, object]>([
    [
      'a provider that asks to wait',
      new ModelFailure('Busy.', true, 2000),
      { type: 'holdfast.model_failed', message: 'Busy.', nonRetryable: false, nextRetryDelay: 2000 },
    ],
    [
      'a provider that refused',
      new ModelFailure('No.', false),
      { type: 'holdfast.model_failed', nonRetryable: true },
    ],
    [
      'an answer with too many calls',
      { calls: Array.from({ length: 65 }, () => ({ tool: 'read', args: {} })) },
      { type: 'holdfast.model_failed', message: expect.stringContaining('65 calls'), nonRetryable: true },
    ],
    [
      'a defect',
      () => {
        throw new RangeError('secret');
      },
      {
        type: 'holdfast.internal_error',
        message: expect.stringMatching(/RangeError at call-model\.test\.ts:\d+/),
        nonRetryable: true,
      },
    ],
  ])('fails as Temporal shall see it for %s [model:failures]', async (_, turn, failure) => {
    await expect(call(new ScriptedModel([turn]))).rejects.toMatchObject({
      name: 'ApplicationFailure',
      ...failure,
    });
  });

  it.each<[string, unknown]>([
    ['it must be an object', undefined],
    ['text must be', { calls: [], finishReason: 'stop', usage: {} }],
    ['calls must be', { text: 'x', finishReason: 'stop', usage: {} }],
    ['calls must be', { text: 'x', calls: [{ tool: 'read', args: {} }], finishReason: 'stop', usage: {} }],
    ['finishReason must be', { text: 'x', calls: [], finishReason: 'constructor', usage: {} }],
    ['usage must be', { text: 'x', calls: [], finishReason: 'stop' }],
    ['usage must be', { text: 'x', calls: [], finishReason: 'stop', usage: { inputTokens: NaN } }],
    ['usage must be', { text: 'x', calls: [], finishReason: 'stop', usage: { outputTokens: '5' } }],
    ['usage must be', { text: 'x', calls: [], finishReason: 'stop', usage: { inputTokens: -5 } }],
  ])(
    'fails for good when what the model gave is no answer, and says that %s: %j would wedge or unguard the run [model:failures] [budget:turns]',
    async (rule, given) => {
      const model = { id: 'own', generate: () => Promise.resolve(given as ModelResponse) };
      await expect(call(model)).rejects.toMatchObject({
        type: 'holdfast.model_failed',
        nonRetryable: true,
        message: expect.stringContaining(rule),
      });
    },
  );

  it('takes of usage the two numbers alone: more might be what no payload can carry [model:clean]', async () => {
    const usage = { inputTokens: 1, raw: 5n };
    const answer = { text: 'x', calls: [], finishReason: 'stop' as const, usage };
    const model = { id: 'own', generate: () => Promise.resolve(answer) };
    expect((await call(model)).usage).toEqual({ inputTokens: 1 });
  });

  it('fails for good when the script ends [model:providers]', async () => {
    await expect(call(new ScriptedModel([]))).rejects.toMatchObject({
      type: 'holdfast.model_script_ended',
      nonRetryable: true,
    });
  });

  it('fails for good for an agent that the worker does not hold, and asks no model [model:failures]', async () => {
    const activity = createCallModel({
      agentOf: () => {
        throw new HoldfastError('unknown_agent', 'No such agent.');
      },
      transcript: store,
    });
    await expect(environment().run(activity, inputOf())).rejects.toMatchObject({
      type: 'holdfast.unknown_agent',
      nonRetryable: true,
    });
  });

  it.each<[string, () => Promise<Partial<CallModelInput>>]>([
    ['the manifest is missing', async () => ({ manifestDigest: 'a'.repeat(64) })],
    ['the manifest is none', async () => ({ manifestDigest: await store.put({ text: 'x' }) })],
    ['the head is missing', async () => ({ head: 'a'.repeat(64) })],
    ['the head is no node', async () => ({ head: manifestDigest })],
  ])('fails for good and asks no model when %s [run:transcript]', async (_, over) => {
    const model = new ScriptedModel([{ text: 'x' }]);
    await expect(call(model, await over())).rejects.toMatchObject({
      type: 'holdfast.transcript_damaged',
      nonRetryable: true,
    });
    expect(model.requests).toEqual([]);
  });

  it.each([true, false])(
    'ends as cancelled and aborts the request, heeded or not (%s) [run:control] [model:failures]',
    async (heeds) => {
      const model = hanging(heeds);
      const env = environment();
      const ended = call(model, {}, env);
      ended.catch(nothing);
      const signal = await signalOf(model);
      expect(signal.aborted).toBe(false);
      env.cancel();
      await expect(ended).rejects.toBeInstanceOf(CancelledFailure);
      expect(signal.aborted).toBe(true);
    },
  );

  it('asks no model when it was cancelled before [run:control]', async () => {
    const model = new ScriptedModel([{ text: 'x' }]);
    const env = environment();
    env.cancel();
    await expect(call(model, {}, env)).rejects.toBeInstanceOf(CancelledFailure);
    expect(model.requests).toEqual([]);
  });

  it.each([true, false])(
    'lets another attempt follow a model that takes too long, heeding the abort or not (%s) [model:failures]',
    async (heeds) => {
      const model = hanging(heeds);
      await expect(
        call(model, { manifestDigest: await record({ modelTimeoutMs: 5 }) }),
      ).rejects.toMatchObject({
        type: 'holdfast.model_failed',
        message: 'The model did not answer within 5 ms.',
        nonRetryable: false,
      });
      expect((await signalOf(model)).aborted).toBe(true);
    },
  );

  it('heartbeats while it waits and stops when it ends [run:crash] [run:control]', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const model = hanging(true);
    const env = environment({ heartbeatTimeoutMs: 3000 });
    let heartbeats = 0;
    env.on('heartbeat', () => {
      heartbeats += 1;
    });
    const ended = call(model, {}, env);
    ended.catch(nothing);
    await signalOf(model);
    vi.advanceTimersByTime(5000);
    expect(heartbeats).toBe(6);
    env.cancel();
    await expect(ended).rejects.toBeInstanceOf(CancelledFailure);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sends no heartbeat where the activity has no heartbeat timeout [run:crash]', async () => {
    const env = environment();
    let heartbeats = 0;
    env.on('heartbeat', () => {
      heartbeats += 1;
    });
    await call(new ScriptedModel([{ text: 'x' }]), {}, env);
    expect(heartbeats).toBe(0);
  });
});

describe('callModel with a provider on the wire', () => {
  let server: ChatServer;
  beforeEach(async () => {
    server = await startChatServer();
  });
  afterEach(() => server.close());
  const KEY = 'sk-canary-81c2';
  const model = (): Model => openAiCompatibleModel({ baseUrl: server.baseUrl, model: 'm', apiKey: KEY });

  it('is one request for each attempt, and honours Retry-After up to its bound [model:failures] [model:clean]', async () => {
    server.answer(json(429, { error: { message: KEY } }, { 'retry-after': '3600' }));
    const failure: unknown = await call(model()).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      type: 'holdfast.model_failed',
      nonRetryable: false,
      nextRetryDelay: 300_000,
    });
    expect(String(failure)).not.toContain(KEY);
    server.answer(completion({ content: 'done' }));
    await expect(call(model())).resolves.toMatchObject({ content: { text: 'done' } });
    expect(server.requests).toHaveLength(2);
  });

  it('closes the request when the activity is cancelled [run:control] [model:failures]', async () => {
    server.answer(nothing);
    const env = environment();
    const ended = call(model(), {}, env);
    ended.catch(nothing);
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), { timeout: 30_000 });
    env.cancel();
    await expect(ended).rejects.toBeInstanceOf(CancelledFailure);
    await vi.waitFor(() => expect(server.abandoned()).toBe(1), { timeout: 30_000 });
  });

  it('closes a request that hangs when its time is over [model:failures]', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    server.answer(nothing);
    const ended = call(model());
    ended.catch(nothing);
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), { timeout: 30_000 });
    vi.advanceTimersByTime(MANIFEST.modelTimeoutMs);
    await expect(ended).rejects.toMatchObject({ type: 'holdfast.model_failed', nonRetryable: false });
    vi.useRealTimers();
    await vi.waitFor(() => expect(server.abandoned()).toBe(1), { timeout: 30_000 });
  });
});
