import { describe, expect, it } from 'vitest';
import { ModelFailure, type ModelMessage, type ModelRequest } from '../../../src/models/model.js';
import { ScriptedModel, type ScriptedTurn } from '../../../src/models/scripted-model.js';

const asked: ModelMessage = { role: 'user', text: 'go' };
const answered: ModelMessage = { role: 'assistant', content: { text: '', calls: [] } };

const after = (answers: number): ModelRequest => ({
  instructions: '',
  messages: [asked, ...Array.from({ length: answers }, () => answered), asked],
  tools: [],
  signal: new AbortController().signal,
});

describe('ScriptedModel', () => {
  it.each<[string, ScriptedTurn, object]>([
    ['a text', { text: 'hi' }, { text: 'hi', calls: [], finishReason: 'stop', usage: {} }],
    [
      'calls, with an id of its own for each',
      {
        calls: [
          { tool: 'read', args: { path: 'a' } },
          { tool: 'read', args: '{"path":' },
        ],
      },
      {
        text: '',
        calls: [
          { providerCallId: 'call_0_0', tool: 'read', argsText: '{"path":"a"}' },
          { providerCallId: 'call_0_1', tool: 'read', argsText: '{"path":' },
        ],
        finishReason: 'tool_calls',
        usage: {},
      },
    ],
    [
      'ids, finish reason and usage as the script has them',
      { calls: [{ tool: 'x', args: {}, id: '' }], finishReason: 'length', usage: { outputTokens: 5 } },
      {
        text: '',
        calls: [{ providerCallId: '', tool: 'x', argsText: '{}' }],
        finishReason: 'length',
        usage: { outputTokens: 5 },
      },
    ],
    [
      'what a function makes of the request',
      ({ messages }) => ({ text: `${messages.length} messages` }),
      { text: '2 messages', calls: [], finishReason: 'stop', usage: {} },
    ],
  ])('plays %s [model:providers]', async (_, turn, response) => {
    await expect(new ScriptedModel([turn]).generate(after(0))).resolves.toEqual(response);
  });

  it('plays the turn that the transcript has come to, after a restart and in a repeated attempt [model:providers]', async () => {
    const script: ScriptedTurn[] = [{ text: 'first' }, { text: 'second' }, { text: 'third' }];
    const model = new ScriptedModel(script);
    const texts = [];
    for (const answers of [1, 1, 0, 2]) texts.push((await model.generate(after(answers))).text);
    texts.push((await new ScriptedModel(script).generate(after(2))).text);
    expect(texts).toEqual(['second', 'second', 'first', 'third', 'third']);
  });

  it.each<[string, ScriptedTurn]>([
    ['a failure in the script', new ModelFailure('busy', true, 100)],
    ['a failure that a function gives', () => new ModelFailure('busy', true, 100)],
    [
      'a failure that a function throws',
      () => {
        throw new ModelFailure('busy', true, 100);
      },
    ],
  ])('throws %s, in every attempt [model:failures]', async (_, turn) => {
    const model = new ScriptedModel([turn]);
    const failure = { name: 'ModelFailure', message: 'busy', retryable: true, retryAfterMs: 100 };
    await expect(model.generate(after(0))).rejects.toMatchObject(failure);
    await expect(model.generate(after(0))).rejects.toMatchObject(failure);
  });

  it('fails for good when its script ends, and says how long it was [model:providers]', async () => {
    await expect(new ScriptedModel([{ text: 'only' }]).generate(after(1))).rejects.toMatchObject({
      code: 'model_script_ended',
      retryable: false,
      message: expect.stringContaining('has 1 turns'),
    });
  });

  it('records every request, failed ones included [model:providers]', async () => {
    const model = new ScriptedModel([{ text: 'only' }]);
    const requests = [after(0), after(1)];
    for (const request of requests) await model.generate(request).catch(() => undefined);
    expect(model.requests).toEqual(requests);
  });

  it('answers no request that was aborted before [model:failures]', async () => {
    const reason = new Error('cancelled');
    const request = { ...after(0), signal: AbortSignal.abort(reason) };
    await expect(new ScriptedModel([{ text: 'x' }]).generate(request)).rejects.toBe(reason);
  });

  it.each([
    [undefined, 'scripted'],
    ['demo', 'demo'],
  ])('has the id %s for the manifest [model:providers]', (id, expected) => {
    expect(new ScriptedModel([], id === undefined ? {} : { id }).id).toBe(expected);
  });
});
