import { APICallError, UnsupportedFunctionalityError, type LanguageModelV3 } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import type { OutcomeStatus, ProposedCall } from '../../../src/contract/call.js';
import { aiSdkModel } from '../../../src/models/ai-sdk-model.js';
import type { AiSdkCallOptions, AiSdkLanguageModel, AiSdkResult } from '../../../src/models/ai-sdk-types.js';
import type { Model, ModelMessage, ModelRequest } from '../../../src/models/model.js';

const USAGE = { inputTokens: { total: 3 }, outputTokens: { total: undefined } };
const DONE: AiSdkResult = {
  content: [{ type: 'text', text: 'done' }],
  finishReason: { unified: 'stop' },
  usage: USAGE,
};

/** A provider object that records its options and gives, or throws, what it is told. */
function provider(answer: AiSdkResult | Error, specificationVersion: 'v3' | 'v4' = 'v4') {
  const asked: AiSdkCallOptions[] = [];
  const model: AiSdkLanguageModel = {
    specificationVersion,
    provider: 'acme.chat',
    modelId: 'm-1',
    async doGenerate(options) {
      asked.push(options);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { asked, model: aiSdkModel(model) };
}

const request = (
  messages: readonly ModelMessage[] = [],
  signal = new AbortController().signal,
): ModelRequest => ({
  instructions: '',
  messages,
  tools: [],
  signal,
});
const assistant = (text: string, ...calls: ProposedCall[]): ModelMessage => ({
  role: 'assistant',
  content: { text, calls },
});
const call = (argsText: string, providerCallId = 'p'): ProposedCall => ({
  providerCallId,
  tool: 'read',
  argsText,
});
const result = (text: string, status: OutcomeStatus = 'ok'): ModelMessage => ({
  role: 'tool',
  providerCallId: '',
  tool: 'read',
  status,
  text,
});

async function promptFor(...messages: ModelMessage[]): Promise<readonly unknown[]> {
  const { asked, model } = provider(DONE);
  await model.generate(request(messages));
  return asked[0]?.prompt ?? [];
}

const takesV3: (model: LanguageModelV3) => Model = aiSdkModel;

describe('a model behind an AI SDK provider object', () => {
  it.each(['v3', 'v4'] as const)('takes specification %s [model:providers]', async (version) => {
    const { model } = provider(DONE, version);
    expect(model.id).toBe('acme.chat/m-1');
    await expect(model.generate(request())).resolves.toEqual({
      text: 'done',
      calls: [],
      finishReason: 'stop',
      usage: { inputTokens: 3 },
    });
  });

  it('takes the type of specification v3 as it is published [model:providers]', () => {
    expect(takesV3).toBe(aiSdkModel);
  });

  it('refuses another specification at once [model:providers]', () => {
    const old = { specificationVersion: 'v2', provider: 'p', modelId: 'm', doGenerate: async () => DONE };
    // @ts-expect-error the type refuses it too
    expect(() => aiSdkModel(old)).toThrow(expect.objectContaining({ code: 'invalid_agent' }));
  });

  it('passes the signal and nothing that would retry or stream [model:failures]', async () => {
    const { asked, model } = provider(DONE);
    const { signal } = new AbortController();
    await model.generate(request([], signal));
    expect(asked).toEqual([{ prompt: [], abortSignal: signal }]);
  });

  it.each<[OutcomeStatus, string]>([
    ['ok', 'text'],
    ['error', 'error-text'],
    ['denied', 'error-text'],
    ['expired', 'error-text'],
    ['cancelled', 'error-text'],
  ])('sends the result of a call that ended as %s as %s [outcome:status]', async (status, type) => {
    await expect(promptFor(assistant('', call('{}')), result('why', status))).resolves.toMatchObject([
      { role: 'assistant' },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'p', output: { type, value: 'why' } }] },
    ]);
  });

  it('groups the results of a turn behind its calls [outcome:status]', async () => {
    await expect(
      promptFor(assistant('both', call('{}', 'a'), call('{}', 'b')), result('1'), result('2'), {
        role: 'user',
        text: 'so?',
      }),
    ).resolves.toMatchObject([
      { role: 'assistant', content: [{ text: 'both' }, { toolCallId: 'a' }, { toolCallId: 'b' }] },
      {
        role: 'tool',
        content: [
          { toolCallId: 'a', output: { value: '1' } },
          { toolCallId: 'b', output: { value: '2' } },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'so?' }] },
    ]);
  });

  it('leaves out an answer that said nothing [model:providers]', async () => {
    await expect(promptFor(assistant(''), { role: 'user', text: 'so?' })).resolves.toMatchObject([
      { role: 'user' },
    ]);
  });

  it.each<[string, unknown]>([
    ['{"path":"a","n":[1]}', { path: 'a', n: [1] }],
    ['', {}],
    [' \n', {}],
    ['{"path":', { invalidArguments: '{"path":' }],
    ['[1]', { invalidArguments: '[1]' }],
    ['null', { invalidArguments: 'null' }],
  ])('shows the model its own arguments %j as an object [outcome:status]', async (argsText, input) => {
    await expect(promptFor(assistant('', call(argsText)), result(''))).resolves.toMatchObject([
      { content: [{ type: 'tool-call', input }] },
      {},
    ]);
  });

  it('shows arguments nested too deeply for a serialiser as text [schema:bounded]', async () => {
    const argsText = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const prompt = await promptFor(assistant('', call(argsText)), result(''));
    expect(JSON.stringify(prompt)).toContain('invalidArguments');
  });

  it('makes ids that no id of the provider equals, the same however the transcript goes on [outcome:key] [H13]', async () => {
    const begin = [assistant('', call('{}', ''), call('{}', 'c00000000')), result('1'), result('2')];
    const short = await promptFor(...begin);
    const long = await promptFor(...begin, assistant('', call('{}', 'c00000001')), result('3'));
    expect(long.slice(0, short.length)).toEqual(short);
    const ids = [...JSON.stringify(long).matchAll(/"toolCallId":"([^"]*)"/g)].map(([, id]) => id);
    expect(ids).toEqual(['c00000000', 'c00000001', 'c00000000', 'c00000001', 'c00001000', 'c00001000']);
  });

  it('joins the texts of an answer and drops what is neither text nor call [model:providers]', async () => {
    const content = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'a' },
      { type: 'source', title: 'x' },
      { type: 'tool-call', toolCallId: 'i', toolName: 'read', input: '{}' },
      { type: 'text', text: 'b' },
    ];
    await expect(provider({ ...DONE, content }).model.generate(request())).resolves.toMatchObject({
      text: 'ab',
      calls: [{ providerCallId: 'i', tool: 'read', argsText: '{}' }],
    });
  });

  it('takes a call with missing members for an empty one, which validation refuses [model:providers]', async () => {
    const content = [
      { type: 'tool-call' },
      { type: 'tool-call', toolCallId: 1, toolName: 'x', input: { a: 1 } },
    ];
    await expect(provider({ ...DONE, content }).model.generate(request())).resolves.toMatchObject({
      calls: [
        { providerCallId: '', tool: '', argsText: '' },
        { providerCallId: '', tool: 'x', argsText: '{"a":1}' },
      ],
    });
  });

  it('fails for good when the provider ran a tool by itself [run:activities]', async () => {
    const content = [
      { type: 'tool-call', toolCallId: 'i', toolName: 'web', input: '{}', providerExecuted: true },
    ];
    await expect(provider({ ...DONE, content }).model.generate(request())).rejects.toMatchObject({
      name: 'ModelFailure',
      retryable: false,
    });
  });

  it.each(['error', 'interrupted'])(
    'may ask again when the answer ended for %s [model:failures]',
    async (unified) => {
      await expect(
        provider({ ...DONE, finishReason: { unified } }).model.generate(request()),
      ).rejects.toMatchObject({
        name: 'ModelFailure',
        retryable: true,
      });
    },
  );

  it.each<[string, Error, object]>([
    [
      'a refusal',
      new APICallError({
        message: 'secret',
        url: 'u',
        requestBodyValues: { key: 'secret' },
        statusCode: 400,
      }),
      { retryable: false, message: expect.stringContaining('status 400') },
    ],
    [
      'a fault of the connection',
      new APICallError({ message: 'secret', url: 'u', requestBodyValues: {}, isRetryable: true }),
      { retryable: true },
    ],
    ['a timeout of its own', new DOMException('secret', 'TimeoutError'), { retryable: true }],
    [
      'a setting that it does not know',
      new UnsupportedFunctionalityError({ functionality: 'secret' }),
      { retryable: false, message: expect.stringContaining('(AI_UnsupportedFunctionalityError)') },
    ],
    [
      'a defect',
      new TypeError('secret'),
      { retryable: false, message: expect.stringContaining('(TypeError)') },
    ],
    [
      'an error with a made-up name',
      Object.assign(new Error('secret'), { name: 'secret key' }),
      { retryable: false, message: expect.stringContaining('adapter of the model failed:') },
    ],
  ])(
    'turns %s into a failure that repeats nothing of it [model:failures] [model:clean]',
    async (_, error, expected) => {
      const failure: unknown = await provider(error)
        .model.generate(request())
        .catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({ name: 'ModelFailure', code: 'model_failed', ...expected });
      expect(JSON.stringify({ ...(failure as object), text: String(failure) })).not.toContain('secret');
      expect(failure).not.toHaveProperty('cause');
    },
  );

  it('throws the reason of the abort, not what the provider made of it [model:failures]', async () => {
    const reason = new Error('cancelled');
    const { model } = provider(new DOMException('aborted', 'AbortError'));
    await expect(model.generate(request([], AbortSignal.abort(reason)))).rejects.toBe(reason);
  });
});
