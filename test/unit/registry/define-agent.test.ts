import { describe, expect, it } from 'vitest';
import type { Budgets } from '../../../src/contract/manifest.js';
import { ScriptedModel } from '../../../src/models/scripted-model.js';
import { DEFAULT_BUDGETS } from '../../../src/policy/budget.js';
import { defineAgent, type Agent, type AgentOptions } from '../../../src/registry/define-agent.js';

const MODEL = new ScriptedModel([]);

function agentWith(options: object): Agent {
  const whole: AgentOptions = { name: 'a', instructions: '', model: MODEL, workspace: '.', ...options };
  return defineAgent(whole);
}

describe("an agent's definition", () => {
  it.each<[object, string]>([
    [{ maxErrors: 0 }, 'budgets.maxErrors must be a whole number from 1'],
    [{ maxTurns: 1.5 }, 'budgets.maxTurns must be a whole number from 1'],
    [{ maxConsecutiveErrors: '3' }, 'budgets.maxConsecutiveErrors must be a whole number from 1'],
    [{ maxConsecutiveDenials: -1 }, 'budgets.maxConsecutiveDenials must be a whole number from 1'],
    [{ maxTokens: Infinity }, 'budgets.maxTokens must be a whole number from 1'],
    [{ maxWallClockMs: 0 }, 'budgets.maxWallClockMs must be a whole number from 1, in milliseconds'],
    [{ maxRepeats: -1 }, 'budgets.maxRepeats must be a whole number from 0, which switches it off'],
    [{ maxRepeats: 21 }, 'budgets.maxRepeats must be at most 20, for so many calls are remembered'],
    [{ maxErrorsPerTool: [3] }, 'budgets.maxErrorsPerTool must hold a whole number from 1'],
    [{ maxErrorsPerTool: [] }, 'budgets.maxErrorsPerTool must hold a whole number from 1'],
    [{ maxErrorsPerTool: { read: 0 } }, 'budgets.maxErrorsPerTool must hold a whole number from 1'],
    [{ maxErrorsPerTool: null }, 'budgets.maxErrorsPerTool must hold a whole number from 1'],
    [{ onExhausted: 'stop' }, 'budgets.onExhausted must be conclude, fail or pause'],
    [
      { maxEror: 3 },
      'budgets.maxEror is no budget; did you mean maxErrors; there are maxErrors, maxConsecutiveErrors, ' +
        'maxConsecutiveDenials, maxTurns, maxRepeats, maxErrorsPerTool, maxTokens, maxWallClockMs, ' +
        'onExhausted, exhaustedTimeoutMs.',
    ],
    [{ constructor: 3 }, 'budgets.constructor is no budget; there are maxErrors, '],
  ])('with the budgets %j is refused [budget:errors] [budget:turns] [budget:repeat]', (budgets, text) => {
    expect(() => agentWith({ budgets })).toThrow(text);
  });

  it('has the default of what is omitted or undefined [budget:errors]', () => {
    const budgets = { maxErrors: undefined, maxTokens: undefined, maxRepeats: 0 };
    const expected: Budgets = { ...DEFAULT_BUDGETS, maxRepeats: 0 };
    expect(agentWith({ budgets }).budgets).toEqual(expected);
  });

  it('may refuse the twentieth identical call, the last that is remembered [budget:repeat]', () => {
    expect(agentWith({ budgets: { maxRepeats: 20 } }).budgets.maxRepeats).toBe(20);
  });

  it.each([
    'approvalTimeoutMs',
    'modelTimeoutMs',
    'modelMaxAttempts',
    'maxParallelCalls',
    'continueAfterEvents',
  ])('with %s 0 is refused [hitl:parallel]', (field) => {
    expect(() => agentWith({ [field]: 0 })).toThrow(`${field} must be a whole number from 1`);
  });

  it.each<[object, string]>([
    [{ enableWriteTools: 'false' }, 'enableWriteTools must be true or false'],
    [{ enableWriteTools: null }, 'enableWriteTools must be true or false'],
    [{ keepWholeOutputs: 1 }, 'keepWholeOutputs must be true or false'],
    [{ noTools: 'builtins' }, 'noTools must be all or builtin'],
    [{ noTools: true }, 'noTools must be all or builtin'],
    [{ tools: 'read' }, 'tools must be a list of names of tools'],
    [{ tools: null }, 'tools must be a list of names of tools'],
    [{ excludeTools: 'edit' }, 'excludeTools must be a list of names of tools'],
    [{ excludeTools: [5] }, 'excludeTools must be a list of names of tools'],
    [{ requireApprovalFor: 'write' }, 'requireApprovalFor must be a list of names of tools'],
    [{ protectedPaths: 'secrets/**' }, 'protectedPaths must be a list of globs'],
    [{ customTools: {} }, 'customTools must be a list of what defineTool gives'],
    [{ budgets: null }, 'budgets must be an object'],
    [{ budgets: [] }, 'budgets must be an object'],
    [{ version: 5 }, 'version must be a string'],
    [{ instructions: undefined }, 'instructions must be a string'],
    [{ workspace: '' }, 'workspace must name a directory'],
    [{ model: { generate: () => undefined } }, 'model must be a Model, with an id and generate'],
    [{ model: null }, 'model must be a Model, with an id and generate'],
    [{ name: '' }, 'An agent: name must match'],
    [{ enableWritetools: true }, 'enableWritetools is no field; did you mean enableWriteTools'],
  ])(
    'with %j is refused, for a value of another type would silently allow more than was written [surface:default] [surface:allow]',
    (options, text) => {
      expect(() => agentWith(options)).toThrow(text);
    },
  );

  it.each([null, undefined, 'agent'])('that is %j is refused [surface:default]', (definition) => {
    expect(() => defineAgent(definition as unknown as AgentOptions)).toThrow('An agent: must be an object');
  });

  it('with a modelTimeoutMs that no timer can wait, which would end every request at once, is refused [model:failures]', () => {
    expect(agentWith({ modelTimeoutMs: 2 ** 31 - 1 }).modelTimeoutMs).toBe(2 ** 31 - 1);
    expect(() => agentWith({ modelTimeoutMs: 2 ** 31 })).toThrow(
      'modelTimeoutMs must be a whole number from 1 to 2147483647',
    );
  });
});
