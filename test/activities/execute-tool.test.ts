import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createExecuteTool } from '../../activities/execute-tool.js';
import { judgeGuard } from '../../activities/guard-paths.js';
import { judgeArguments } from '../../activities/validate-tool-call.js';
import type { ExecuteToolInput, HoldfastActivities } from '../../src/contract/activities.js';
import type { Authorization, ExecutionResult } from '../../src/contract/call.js';
import type { JsonObject } from '../../src/contract/json.js';
import { digestOf } from '../../src/digest.js';
import { ToolOutcome, type ObjectSchema, type ToolDef } from '../../src/contract/tool.js';
import { RetryableToolError } from '../../src/registry/retryable-tool-error.js';
import type { ToolContext } from '../../src/registry/tool.js';
import { ToolRegistry } from '../../src/registry/tool-registry.js';
import { FileTranscriptStore } from '../../src/transcript/file-store.js';
import { PathChangedError } from '../../src/workspace/path-changed-error.js';
import { approvalBy } from '../harness/evidence.js';
import { trustedKeys } from '../harness/keys.js';
import { resolveWorkspace } from '../../src/workspace/resolve-workspace.js';
import type { Workspace } from '../../src/workspace/workspace.js';

type Handler = (args: JsonObject, context: ToolContext) => unknown;

const ANY: ObjectSchema = { type: 'object' };
type DecisionAuthorization = Extract<Authorization, { kind: 'decision' }>;

/** What ann signed for this call, as the workflow authorizes by it. */
async function decisionOver(
  { runId, tool, validation }: ExecuteToolInput,
  changes: Partial<Pick<DecisionAuthorization, 'requestKey' | 'argsDigest'>> = {},
  scope: 'once' | 'run' = 'once',
): Promise<DecisionAuthorization> {
  const { argsDigest, schemaDigest } = validation;
  const signed = { argsDigest, decisionId: 'd', approver: 'ann', decision: 'approve' } as const;
  const decision = { ...signed, requestKey: 'run:3:1:nonce:execution', runId, tool, schemaDigest, scope };
  const approvals = [await approvalBy(transcript, decision)];
  const { requestKey } = decision;
  return { kind: 'decision', ...signed, requestKey, approvals, riskLevel: 'mutation', ...changes };
}

const FREE: Authorization = { kind: 'free', riskLevel: 'read_only' };

let directory: string;
let workspace: Workspace;
let transcript: FileTranscriptStore;

beforeEach(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-execute-')));
  await mkdir(join(directory, 'ws', 'dir'), { recursive: true });
  await mkdir(join(directory, 'outside'));
  workspace = await resolveWorkspace(join(directory, 'ws'));
  transcript = new FileTranscriptStore(join(directory, 'state'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

function registryOf(handler: Handler, changes: Partial<ToolDef> = {}): ToolRegistry {
  const def = {
    name: 't',
    description: 'Does it.',
    riskLevel: 'read_only',
    parameters: ANY,
    ...changes,
  } as const;
  // A handler of JavaScript: what it gives back is anything.
  const tool = { def, handler: handler as () => string };
  return ToolRegistry.create([{ tool, source: 'custom' }], () => undefined);
}

/** The input that the workflow makes of a call which passed every check. */
async function inputFor(
  registry: ToolRegistry,
  args: JsonObject = {},
  authorization = FREE,
): Promise<ExecuteToolInput> {
  const recorded = registry.get('t')?.manifest;
  if (!recorded) throw new Error('no tool t');
  const requestKey = 'run:3:1:nonce';
  const verdict = judgeArguments({ registry, recorded, requestKey, args, salt: 'salt' });
  if (!verdict.valid) throw new Error(verdict.text);
  const { args: _, ...validation } = verdict;
  const { argsDigest, riskLevel } = validation;
  const { protectedPaths } = workspace;
  const paths = { requestKey, pathArgs: recorded.pathArgs, riskLevel, protectedPaths, args, argsDigest };
  const guard = await judgeGuard(workspace, paths);
  if (!guard.allowed) throw new Error(guard.text);
  const { timeoutMs, idempotent, maxAttempts, maxOutputBytes, pathArgs } = recorded;
  return {
    agent: 'a',
    runId: 'run',
    call: { turn: 3, index: 1 },
    idempotencyKey: 'run:3:1',
    requestKey,
    tool: 't',
    args,
    salt: 'salt',
    validation,
    guard,
    authorization,
    protectedPaths,
    execution: { timeoutMs, idempotent, maxAttempts, maxOutputBytes, pathArgs },
  };
}

function environment(
  info: Partial<MockActivityEnvironment['context']['info']> = {},
): MockActivityEnvironment {
  const workflowExecution = { workflowId: 'run', runId: 'execution' };
  return new MockActivityEnvironment({ workflowExecution, ...info }, { logger: new DefaultLogger('ERROR') });
}

function execute(registry: ToolRegistry, input: ExecuteToolInput, env = environment()) {
  const agentOf = () => ({ registry, workspace });
  const executeTool = createExecuteTool({ agentOf, transcript, trustedKeys });
  return env.run<[ExecuteToolInput], ExecutionResult, HoldfastActivities['executeTool']>(executeTool, input);
}

/** Registers a tool, checks a call of it and runs it. */
async function run(
  handler: Handler,
  changes: Partial<ToolDef> = {},
  args: JsonObject = {},
  env = environment(),
) {
  const registry = registryOf(handler, changes);
  return execute(registry, await inputFor(registry, args), env);
}

const PATHS = {
  parameters: { type: 'object', properties: { to: { type: 'string' }, n: { type: 'integer' } } },
  pathArgs: ['to'],
} as const satisfies Partial<ToolDef>;

describe('executeTool', () => {
  it('gives the handler canonical paths and its context [tool:handler-args] [run:idempotency-key] [H24]', async () => {
    const seen = vi.fn<Handler>(() => 'done');
    await run(seen, PATHS, { to: './dir/../dir/new.txt', n: 1 }, environment({ attempt: 1 }));
    expect(seen).toHaveBeenCalledExactlyOnceWith(
      { to: join(workspace.root, 'dir', 'new.txt'), n: 1 },
      expect.objectContaining({
        runId: 'run',
        call: { turn: 3, index: 1 },
        idempotencyKey: 'run:3:1',
        attempt: 1,
        signal: expect.any(AbortSignal),
        workspace,
      }),
    );
  });

  it('keeps the idempotency key over attempts [run:idempotency-key] [H24]', async () => {
    const keys: string[] = [];
    const handler: Handler = (_, { idempotencyKey, attempt }) =>
      keys.push(`${idempotencyKey} ${attempt}`) && 'ok';
    await run(handler, { idempotent: true }, {}, environment({ attempt: 1 }));
    await run(handler, { idempotent: true }, {}, environment({ attempt: 2 }));
    expect(keys).toEqual(['run:3:1 1', 'run:3:1 2']);
  });

  it('has put the output in the transcript store when it answers [run:transcript]', async () => {
    const result = await run(() => 'hello');
    expect(result).toMatchObject({ status: 'ok', text: 'hello' });
    await expect(transcript.get(result.output)).resolves.toEqual({ text: 'hello' });
  });

  it('sends heartbeats without the handler doing so [run:at-most-once]', async () => {
    const env = environment({ heartbeatTimeoutMs: 30 });
    const beats = vi.fn<() => void>();
    env.on('heartbeat', beats);
    const result = await run(
      () => vi.waitUntil(() => beats.mock.calls.length >= 3 && 'alive', { timeout: 30_000 }),
      {},
      {},
      env,
    );
    expect(result).toMatchObject({ status: 'ok', text: 'alive' });
  });

  it.each([
    { gives: 'a string', result: 'text', end: { status: 'ok', text: 'text' } },
    {
      gives: 'a string about errors',
      result: 'Error: fatal ENOENT',
      end: { status: 'ok', text: 'Error: fatal ENOENT' },
    },
    {
      gives: 'a string that is JSON of an error',
      result: '{"status":"error"}',
      end: { status: 'ok', text: '{"status":"error"}' },
    },
    {
      gives: 'ok whose text is JSON of an error',
      result: ToolOutcome.ok('{"status":"error"}'),
      end: { status: 'ok', text: '{"status":"error"}' },
    },
    {
      gives: 'an error whose text looks fine',
      result: ToolOutcome.error('all good'),
      end: { status: 'error', code: 'tool_error', text: 'all good' },
    },
    {
      gives: 'details',
      result: ToolOutcome.ok('x', { n: [1] }),
      end: { status: 'ok', text: 'x', details: { n: [1] } },
    },
    {
      gives: 'content',
      result: {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      end: { status: 'ok', text: 'a\nb' },
    },
    {
      gives: 'content with isError',
      result: { content: [{ type: 'text', text: 'a' }], details: { d: 1 }, isError: true },
      end: { status: 'error', code: 'tool_error', text: 'a', details: { d: 1 } },
    },
  ])(
    'takes the status from its field and not from the text: $gives [tool:handler-result] [outcome:status] [H26]',
    async ({ result, end }) => {
      const { output, ...rest } = await run(() => result);
      expect(rest).toEqual(end);
      await expect(transcript.get(output)).resolves.toEqual({ text: end.text });
    },
  );

  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const trap = Object.defineProperty({}, 'status', {
    get: () => {
      throw new Error('trap');
    },
  });
  it.each([
    { gives: 'undefined', result: undefined },
    { gives: 'null', result: null },
    { gives: 'a number', result: 7 },
    { gives: 'an unknown status', result: { status: 'done', text: 'x' } },
    { gives: 'no text', result: { status: 'ok' } },
    { gives: 'a text that is none', result: { status: 'ok', text: 1 } },
    { gives: 'an image', result: { content: [{ type: 'image', data: '' }] } },
    { gives: 'isError that is no boolean', result: { content: [], isError: 'yes' } },
    { gives: 'BigInt in details', result: ToolOutcome.ok('x', { n: 1n } as never) },
    { gives: 'a circle in details', result: ToolOutcome.ok('x', circle as never) },
    { gives: 'a getter that throws', result: trap },
  ])(
    'makes tool_error of a result that cannot be used: $gives [tool:handler-throws] [H21]',
    async ({ result }) => {
      expect(await run(() => result)).toMatchObject({
        status: 'error',
        code: 'tool_error',
        text: expect.stringContaining('result cannot be used'),
      });
    },
  );

  it.each([
    { what: 'an Error', thrown: new Error('404'), says: 'The tool failed: 404' },
    { what: 'a string', thrown: 'no', says: 'The tool failed: no' },
    { what: 'undefined', thrown: undefined, says: 'The tool failed and gave no reason.' },
    {
      what: 'an Error whose message throws',
      thrown: Object.defineProperty(new Error('x'), 'message', {
        get: () => {
          throw new Error('y');
        },
      }),
      says: 'The tool failed and gave no reason.',
    },
    { what: 'an object', thrown: { message: 'from elsewhere' }, says: 'The tool failed: from elsewhere' },
    {
      what: 'a RetryableToolError of a tool that is not idempotent',
      thrown: new RetryableToolError('busy'),
      says: 'The tool failed: busy',
    },
    {
      what: 'a failure of Temporal',
      thrown: ApplicationFailure.retryable('again'),
      says: 'The tool failed: again',
    },
  ])(
    'makes tool_error of a throw, once: $what [tool:handler-throws] [outcome:status] [H21]',
    async ({ thrown, says }) => {
      const handler = vi.fn<Handler>(() => {
        throw thrown;
      });
      expect(await run(handler)).toMatchObject({ status: 'error', code: 'tool_error', text: says });
      expect(await run(() => Promise.reject(thrown))).toMatchObject({
        status: 'error',
        code: 'tool_error',
        text: says,
      });
      expect(handler).toHaveBeenCalledTimes(1);
    },
  );

  it('tells of a throw neither stack nor workspace root, and not without end [events:no-args] [secure:secrets]', async () => {
    const { text } = await run(() => readFile(join(workspace.root, 'absent.txt')));
    expect(text).toContain("open './absent.txt'");
    expect(text).not.toContain(directory);
    const long = await run(() => {
      throw new Error('x'.repeat(100_000));
    });
    expect(long.text.length).toBeLessThan(2100);
  });

  it('answers path_changed when a file tool finds a swapped link [path:at-use]', async () => {
    const result = await run(() => {
      throw new PathChangedError();
    });
    expect(result).toMatchObject({ status: 'error', code: 'path_changed' });
  });

  const busy: Handler = () => {
    throw new RetryableToolError(`busy with ${workspace.root}/f`);
  };
  it.each([1, 2])(
    'asks for another attempt of an idempotent tool after attempt %i of 3 [tool:handler-throws] [H21]',
    async (attempt) => {
      const outcome = run(busy, { idempotent: true, maxAttempts: 3 }, {}, environment({ attempt }));
      await expect(outcome).rejects.toMatchObject({
        nonRetryable: false,
        message: 'The tool failed: busy with ./f',
        stack: '',
      });
    },
  );

  it('makes tool_error of the last attempt of an idempotent tool [tool:handler-throws] [H21]', async () => {
    const outcome = run(busy, { idempotent: true, maxAttempts: 3 }, {}, environment({ attempt: 3 }));
    await expect(outcome).resolves.toMatchObject({ status: 'error', code: 'tool_error' });
  });

  it('never starts a tool a second time that is not idempotent, by its record or now [run:at-most-once] [H24]', async () => {
    const handler = vi.fn<Handler>(() => 'ok');
    const registry = registryOf(handler);
    const input = await inputFor(registry);
    const again = environment({ attempt: 2 });
    expect(await execute(registry, input, again)).toMatchObject({ status: 'error', code: 'interrupted' });
    const recorded = { ...input, execution: { ...input.execution, idempotent: true, maxAttempts: 3 } };
    expect(await execute(registry, recorded, again)).toMatchObject({ status: 'error', code: 'interrupted' });
    expect(handler).not.toHaveBeenCalled();
  });

  it('ends a tool whose time is over, and aborts its signal [outcome:status]', async () => {
    let reason: unknown;
    const obedient: Handler = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          reject(new Error('stopped'));
        });
      });
    const result = await run(obedient, { timeoutMs: 20 });
    expect(result).toMatchObject({
      status: 'error',
      code: 'tool_timeout',
      text: expect.stringContaining('was stopped'),
    });
    expect(reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('says of a tool that ignores its signal for 5 s that it may still run [outcome:status]', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const handler = vi.fn<Handler>(() => new Promise(() => undefined));
      const outcome = run(handler, { timeoutMs: 20 });
      await vi.waitUntil(() => handler.mock.calls.length > 0, { timeout: 30_000 });
      await vi.advanceTimersByTimeAsync(5020);
      expect(await outcome).toMatchObject({
        code: 'tool_timeout',
        text: expect.stringContaining('may still be running'),
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ['throws', () => Promise.reject(new Error('stopped'))],
    ['says that it failed', () => Promise.resolve(ToolOutcome.error('stopped'))],
  ])(
    'is cancelled when the run is, having fired the signal, and the tool %s [run:control] [outcome:status]',
    async (_what, stop) => {
      const env = environment();
      let aborted = false;
      const handler: Handler = (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            resolve(stop());
          });
          env.cancel();
        });
      await expect(run(handler, {}, {}, env)).rejects.toBeInstanceOf(CancelledFailure);
      expect(aborted).toBe(true);
    },
  );

  it('is what it was when the run is cancelled and it still ends well [outcome:status]', async () => {
    const env = environment();
    const handler: Handler = (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve('written'));
        env.cancel();
      });
    expect(await run(handler, {}, {}, env)).toMatchObject({ status: 'ok', text: 'written' });
  });

  it('never starts a tool whose call was cancelled before [run:control]', async () => {
    const env = environment();
    env.cancel();
    const handler = vi.fn<Handler>(() => 'ok');
    await expect(run(handler, {}, {}, env)).rejects.toBeInstanceOf(CancelledFailure);
    expect(handler).not.toHaveBeenCalled();
  });

  it('at a shutdown of the worker gives the true outcome of a tool that still ended [run:at-most-once]', async () => {
    const env = environment();
    const handler: Handler = (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve('late'));
        env.cancel('WORKER_SHUTDOWN');
      });
    expect(await run(handler, {}, {}, env)).toMatchObject({ status: 'ok', text: 'late' });
  });

  it('at a shutdown answers interrupted for a tool that stopped, and retries an idempotent one [run:at-most-once]', async () => {
    const stopping =
      (env: MockActivityEnvironment): Handler =>
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')));
          env.cancel('WORKER_SHUTDOWN');
        });
    const [once, again] = [environment(), environment()];
    expect(await run(stopping(once), {}, {}, once)).toMatchObject({ status: 'error', code: 'interrupted' });
    await expect(run(stopping(again), { idempotent: true }, {}, again)).rejects.toMatchObject({
      nonRetryable: false,
    });
  });

  it.each([
    { what: '3 MB of one line', text: 'x'.repeat(3_000_000), says: /of 3000000 bytes/ },
    { what: '1.5 million characters of three bytes', text: '€'.repeat(1_500_000), says: /of 4500000 bytes/ },
    { what: '5,000 short lines', text: 'ab\n'.repeat(5000), says: /2000 of 5000 lines/ },
  ])('cuts $what at a character and says how much there was [outcome:size] [H20]', async ({ text, says }) => {
    const result = await run(() => text);
    expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(51_200);
    expect(result.text).not.toContain('\u{FFFD}');
    expect(result.text).toMatch(says);
    expect(text.startsWith(result.text.slice(0, result.text.indexOf('\n\n[')))).toBe(true);
  });

  it('keeps the whole of what it cuts when the agent asks for it, and says where [outcome:size]', async () => {
    const text = '€'.repeat(100_000);
    const registry = registryOf(() => text);
    const input = await inputFor(registry);
    const keeping = { ...input, execution: { ...input.execution, keepWholeOutput: true } };
    const { whole, ...result } = await execute(registry, keeping);
    expect(whole).toEqual({ digest: digestOf({ text }), bytes: 300_000 });
    expect(await transcript.get(whole?.digest ?? '')).toEqual({ text });
    expect(result.text.endsWith(` The whole was kept for people, under ${whole?.digest}.]`)).toBe(true);
    expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(51_200);
    expect(await transcript.get(result.output)).toEqual({ text: result.text });
    expect(await execute(registry, input)).not.toHaveProperty('whole');
  });

  it.each([
    { what: 'fits', text: 'x'.repeat(51_200), says: /^x+$/ },
    { what: 'is over 64 MiB', text: 'x'.repeat(64 * 1024 * 1024 + 1), says: /not kept: .* 67108864 bytes/ },
  ])('keeps nothing beside an output that $what [outcome:size]', async ({ text, says }) => {
    const registry = registryOf(() => text);
    const input = await inputFor(registry);
    const keeping = { ...input, execution: { ...input.execution, keepWholeOutput: true } };
    const result = await execute(registry, keeping);
    expect(result).not.toHaveProperty('whole');
    expect(result.text.slice(-200)).toMatch(says);
  });

  it('replaces details that are too large, and keeps the status [run:payloads]', async () => {
    const result = await run(() => ToolOutcome.ok('x', 'y'.repeat(70_000)));
    expect(result).toMatchObject({
      status: 'ok',
      text: 'x',
      details: { omitted: 'too large', bytes: 70_002 },
    });
  });

  it('passes text with half of a surrogate pair on as whole characters [outcome:size]', async () => {
    expect(await run(() => 'a\ud800b')).toMatchObject({ status: 'ok', text: 'a\u{FFFD}b' });
  });
});

describe('executeTool, when something does not fit', () => {
  const asks = { ...PATHS, riskLevel: 'mutation' } as const satisfies Partial<ToolDef>;

  async function approved(
    handler: Handler,
    def: Partial<ToolDef> = asks,
    args: JsonObject = { to: 'dir/f' },
  ) {
    const registry = registryOf(handler, def);
    const input = await inputFor(registry, args);
    return { registry, input: { ...input, authorization: await decisionOver(input) } };
  }

  it.each(['run:3:1:nonce', 'run:3:1:nonce:execution'])(
    'runs a call that a person allowed by its request %s [hitl:order]',
    async (requestKey) => {
      const { registry, input } = await approved(() => 'ok');
      const authorization = await decisionOver(input, { requestKey });
      expect(await execute(registry, { ...input, authorization })).toMatchObject({ status: 'ok' });
    },
  );

  const other = 'f'.repeat(64);
  const mismatches: readonly {
    what: string;
    change: (input: ExecuteToolInput) => Partial<ExecuteToolInput> | Promise<Partial<ExecuteToolInput>>;
  }[] = [
    { what: 'other arguments', change: () => ({ args: { to: 'dir/g' } }) },
    { what: 'another salt', change: () => ({ salt: 'other' }) },
    {
      what: 'a validation of other arguments',
      change: ({ validation }) => ({ validation: { ...validation, argsDigest: other } }),
    },
    {
      what: 'a validation of another request',
      change: ({ validation }) => ({ validation: { ...validation, requestKey: 'run:3:1:x' } }),
    },
    {
      what: 'a validation of another tool',
      change: ({ validation }) => ({ validation: { ...validation, tool: 'u' } }),
    },
    {
      what: 'a guard verdict of other arguments',
      change: ({ guard }) => ({ guard: { ...guard, argsDigest: other } }),
    },
    {
      what: 'a guard verdict of another request',
      change: ({ guard }) => ({ guard: { ...guard, requestKey: 'run:3:1:x' } }),
    },
    {
      what: 'a decision about other arguments',
      change: async (input) => ({ authorization: await decisionOver(input, { argsDigest: other }) }),
    },
    {
      what: 'a decision about another request',
      change: async (input) => ({
        authorization: await decisionOver(input, { requestKey: 'run:3:1:x' }),
      }),
    },
    { what: 'the request of another call', change: () => ({ call: { turn: 3, index: 2 } }) },
    { what: 'the request of another run', change: () => ({ runId: 'other' }) },
    { what: 'the key of another call', change: () => ({ idempotencyKey: 'run:3:2' }) },
    { what: 'nobody asked', change: () => ({ authorization: FREE }) },
    { what: 'arguments without canonical JSON', change: () => ({ args: { to: '\ud800' } }) },
  ];
  it.each(mismatches)('runs nothing for $what [run:activities] [hitl:order]', async ({ change }) => {
    const handler = vi.fn<Handler>(() => 'ok');
    const { registry, input } = await approved(handler);
    const result = await execute(registry, { ...input, ...(await change(input)) });
    expect(result).toMatchObject({ status: 'error', code: 'binding_mismatch' });
    expect(handler).not.toHaveBeenCalled();
  });

  it.each([
    { by: 'grant', now: 'mutation', status: 'ok' },
    { by: 'grant', now: 'destructive', status: 'error' },
    { by: 'grant', now: 'dangerous', status: 'error' },
    { by: 'free', now: 'read_only', status: 'ok' },
    { by: 'free', now: 'mutation', status: 'error' },
    { by: 'decision', now: 'mutation', status: 'ok' },
    { by: 'decision', now: 'safe', status: 'ok' },
    { by: 'decision', now: 'dangerous', status: 'error' },
  ] as const)(
    'by $by, where the tool is $now today: $status [risk:pinned] [risk:always]',
    async ({ by, now, status }) => {
      const recorded = registryOf(() => 'never', { riskLevel: by === 'free' ? 'read_only' : 'mutation' });
      const input = await inputFor(recorded);
      const authorizations = {
        free: FREE,
        grant: { ...(await decisionOver(input, {}, 'run')), kind: 'grant' },
        decision: await decisionOver(input),
      } as const;
      const handler = vi.fn<Handler>(() => 'ok');
      const today = registryOf(handler, { riskLevel: now });
      const result = await execute(today, { ...input, authorization: authorizations[by] });
      expect(result.status).toBe(status);
      expect(handler).toHaveBeenCalledTimes(status === 'ok' ? 1 : 0);
    },
  );

  it('runs nothing when the tool is gone [risk:pinned]', async () => {
    const { input } = await approved(() => 'ok');
    const empty = ToolRegistry.create([], () => undefined);
    expect(await execute(empty, input)).toMatchObject({ status: 'error', code: 'tool_unavailable' });
  });

  it('runs nothing when the schema of today refuses the arguments [risk:pinned]', async () => {
    const { input } = await approved(() => 'ok');
    const handler = vi.fn<Handler>(() => 'ok');
    const today = registryOf(handler, { ...asks, parameters: { ...PATHS.parameters, required: ['n'] } });
    expect(await execute(today, input)).toMatchObject({ status: 'error', code: 'invalid_args' });
    expect(handler).not.toHaveBeenCalled();
  });

  it('runs nothing, and writes nothing outside, when a directory became a link after the check [path:at-use] [H06]', async () => {
    const handler = vi.fn<Handler>(async (args) => {
      await writeFile(args['to'] as string, 'X');
      return 'ok';
    });
    const { registry, input } = await approved(handler);
    await rm(join(workspace.root, 'dir'), { recursive: true });
    await symlink(join(directory, 'outside'), join(workspace.root, 'dir'));
    expect(await execute(registry, input)).toMatchObject({ status: 'error', code: 'path_changed' });
    expect(handler).not.toHaveBeenCalled();
  });

  it('runs nothing when a path leads to another place inside than before [path:at-use] [H06]', async () => {
    const handler = vi.fn<Handler>(() => 'ok');
    const { registry, input } = await approved(handler);
    await mkdir(join(workspace.root, 'elsewhere'));
    await rm(join(workspace.root, 'dir'), { recursive: true });
    await symlink('elsewhere', join(workspace.root, 'dir'));
    expect(await execute(registry, input)).toMatchObject({ status: 'error', code: 'path_changed' });
    expect(handler).not.toHaveBeenCalled();
  });

  it('judges a path that only the definition of today declares [path:at-use] [path:fail-closed]', async () => {
    const { input } = await approved(() => 'ok', { ...asks, pathArgs: [] }, { to: '../outside/f' });
    const handler = vi.fn<Handler>(() => 'ok');
    expect(await execute(registryOf(handler, asks), input)).toMatchObject({
      status: 'error',
      code: 'path_refused',
    });
    expect(handler).not.toHaveBeenCalled();
  });

  it('runs nothing of a call of which one path of two is outside [path:all-or-nothing] [H07]', async () => {
    const parameters = {
      type: 'object',
      properties: { paths: { type: 'array', items: { type: 'string' } } },
    } as const;
    const { input } = await approved(
      () => 'ok',
      { ...asks, parameters, pathArgs: [] },
      { paths: ['a', '../outside/f'] },
    );
    const handler = vi.fn<Handler>(() => 'ok');
    const today = registryOf(handler, { ...asks, parameters, pathArgs: ['paths[]'] });
    expect(await execute(today, input)).toMatchObject({ status: 'error', code: 'path_refused' });
    expect(handler).not.toHaveBeenCalled();
  });

  it('tells of a refusal no argument and no absolute path [events:no-args]', async () => {
    const { registry, input } = await approved(() => 'ok', asks, { to: 'sesame' });
    const result = await execute(registry, { ...input, args: { to: 'sesame', n: 1 } });
    expect(result.text).not.toMatch(/sesame|\//);
  });
});

describe('executeTool, when a handler throws what answers no question', () => {
  const revoked = (): object => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const shy = new Proxy(
    {},
    {
      getPrototypeOf: () => {
        throw revoked();
      },
    },
  );
  const getter = {
    get status(): string {
      throw revoked();
    },
  };
  it.each<[string, Handler]>([
    ['a revoked proxy', () => Promise.reject(revoked())],
    ['a proxy that throws at instanceof', () => Promise.reject(shy)],
    ['nothing, but returns a getter that throws one', () => getter],
  ])('is an error, once: %s [tool:handler-throws]', async (_what, handler) => {
    expect(await run(handler)).toMatchObject({ status: 'error', code: 'tool_error' });
  });
});
