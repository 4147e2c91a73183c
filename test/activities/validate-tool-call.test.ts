import { describe, expect, it } from 'vitest';
import { createValidateToolCall } from '../../activities/validate-tool-call.js';
import type { ValidateToolCallInput } from '../../src/contract/activities.js';
import { HoldfastError } from '../../src/contract/error-codes.js';
import type { ObjectSchema, RiskLevel } from '../../src/contract/tool.js';
import { argsDigest } from '../../src/digest.js';
import { ToolRegistry } from '../../src/registry/tool-registry.js';

const EDITS = {
  type: 'object',
  required: ['path', 'edits'],
  properties: {
    path: { type: 'string' },
    edits: {
      type: 'array',
      items: { type: 'object', required: ['old'], properties: { old: { type: 'string' } } },
    },
  },
  additionalProperties: false,
} as const;

function registryOf(
  parameters: ObjectSchema = EDITS,
  riskLevel: RiskLevel = 'mutation',
  name = 'patch',
): ToolRegistry {
  const def = { name, description: 'Edits.', riskLevel, parameters };
  return ToolRegistry.create([{ tool: { def, handler: () => 'never' }, source: 'custom' }], () => undefined);
}

const RECORDED = registryOf().get('patch')?.manifest;

const INPUT = { agent: 'a', requestKey: 'run:0:0:n', salt: 'salt', surface: ['patch', 'read'] };

function validate(argsText: string, changes: Partial<ValidateToolCallInput> = {}, registry = registryOf()) {
  const call = { providerCallId: 'c', tool: 'patch', argsText };
  const recorded = RECORDED && { recorded: RECORDED };
  return createValidateToolCall({ agentOf: () => ({ registry }) })({
    ...INPUT,
    call,
    ...recorded,
    ...changes,
  });
}

function validateUnknown(tool: string, surface = INPUT.surface) {
  const call = { providerCallId: 'c', tool, argsText: '{}' };
  return createValidateToolCall({ agentOf: () => ({ registry: registryOf() }) })({ ...INPUT, call, surface });
}

describe('validateToolCall', () => {
  it('gives the arguments as the model sent them, with digest, schema and risk [run:activities] [schema:no-coercion]', async () => {
    const args = { path: 'a', edits: [{ old: 'x' }] };
    await expect(validate(JSON.stringify(args))).resolves.toEqual({
      valid: true,
      requestKey: 'run:0:0:n',
      tool: 'patch',
      args,
      argsDigest: argsDigest('salt', args),
      schemaDigest: RECORDED?.schemaDigest,
      riskLevel: 'mutation',
    });
  });

  it('refuses arguments that were too large to be kept, though nothing of them is left [run:payloads] [schema:strict-json]', async () => {
    const call = { providerCallId: 'c', tool: 'patch', argsText: '', leftOut: 300_000 };
    const verdict = await validate('', { call });
    expect(verdict).toMatchObject({
      valid: false,
      code: 'invalid_args',
      text: expect.stringContaining('300000'),
    });
  });

  it.each([
    { what: 'a missing required member', argsText: '{"path":"a"}', says: 'edits: required, but missing' },
    {
      what: 'a wrong nested type',
      argsText: '{"path":"a","edits":[{"old":1}]}',
      says: 'edits[0].old: expected string, got number',
    },
    {
      what: 'an object for an array',
      argsText: '{"path":"a","edits":{}}',
      says: 'edits: expected array, got object',
    },
    {
      what: 'a nested value as a string',
      argsText: '{"path":"a","edits":"[{\\"old\\":\\"x\\"}]"}',
      says: 'edits: expected array, got string that holds JSON',
    },
    {
      what: 'a member too many',
      argsText: '{"path":"a","edits":[],"extra":1}',
      says: 'extra: not allowed here',
    },
    { what: 'empty text', argsText: '', says: 'path, edits: required' },
  ])('refuses $what and names the place [schema:before-handler] [H10]', async ({ argsText, says }) => {
    const verdict = await validate(argsText);
    expect(verdict).toMatchObject({
      valid: false,
      code: 'invalid_args',
      requestKey: 'run:0:0:n',
      tool: 'patch',
    });
    expect('text' in verdict && verdict.text).toContain(says);
    expect(verdict.argsDigest).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(['{"path":"a","edits":[', '[]', 'nonsense', '{"a":1,"a":2}'])(
    'refuses %j, which is no strict object, without a digest [schema:strict-json]',
    async (argsText) => {
      const verdict = await validate(argsText);
      expect(verdict).toMatchObject({ valid: false, code: 'invalid_args' });
      expect(verdict).not.toHaveProperty('argsDigest');
    },
  );

  it.each([
    { what: 'a name near a real one', name: 'rad' },
    { what: 'an inherited name', name: 'constructor' },
    { what: '__proto__', name: '__proto__' },
    { what: 'no name', name: '' },
    { what: 'a name of 10,000 characters', name: 'x'.repeat(10_000) },
  ])('answers $what with the real names [schema:unknown-tool] [tool:name]', async ({ name }) => {
    const verdict = await validateUnknown(name);
    expect(verdict).toMatchObject({ valid: false, code: 'unknown_tool', tool: name });
    expect('text' in verdict && verdict.text).toContain('patch, read');
    expect('text' in verdict && verdict.text.length).toBeLessThan(200);
  });

  it('says the near name of an unknown one, and when there are no tools [schema:unknown-tool]', async () => {
    await expect(validateUnknown('pach')).resolves.toMatchObject({
      text: expect.stringContaining('did you mean patch'),
    });
    await expect(validateUnknown('patch', [])).resolves.toMatchObject({ text: 'This run has no tools.' });
  });

  it('answers tool_unavailable when the worker no longer holds a recorded tool [risk:pinned]', async () => {
    const verdict = await validate('{"path":"a","edits":[]}', {}, registryOf(EDITS, 'mutation', 'other'));
    expect(verdict).toMatchObject({ valid: false, code: 'tool_unavailable' });
  });

  it.each([
    { recorded: 'mutation', current: 'read_only', riskLevel: 'mutation' },
    { recorded: 'mutation', current: 'dangerous', riskLevel: 'dangerous' },
    { recorded: 'mutation', current: 'mutation', riskLevel: 'mutation' },
  ] as const)(
    'takes the stricter of $recorded and $current [risk:pinned]',
    async ({ current, riskLevel }) => {
      await expect(
        validate('{"path":"a","edits":[]}', {}, registryOf(EDITS, current)),
      ).resolves.toMatchObject({ riskLevel });
    },
  );

  it('asks the current schema too when it differs, and names it [risk:pinned]', async () => {
    const parameters = {
      ...EDITS,
      properties: { ...EDITS.properties, path: { type: 'string', maxLength: 1 } },
    };
    const changed = registryOf(parameters);
    const verdict = await validate('{"path":"a","edits":[]}', {}, changed);
    expect(verdict).toMatchObject({
      valid: true,
      schemaDigest: RECORDED?.schemaDigest,
      currentSchemaDigest: changed.get('patch')?.manifest.schemaDigest,
    });
    const refused = await validate('{"path":"ab","edits":[]}', {}, changed);
    expect(refused).toMatchObject({
      valid: false,
      code: 'invalid_args',
      text: expect.stringContaining('has changed'),
    });
  });

  it('asks the recorded schema although the current one is wider [risk:pinned]', async () => {
    const verdict = await validate('{"path":1,"edits":[]}', {}, registryOf({ type: 'object' }));
    expect(verdict).toMatchObject({
      valid: false,
      code: 'invalid_args',
      text: expect.stringContaining('path: expected string'),
    });
  });

  it('answers check_failed for a recorded schema that cannot be compiled here [risk:pinned]', async () => {
    const recorded = RECORDED && {
      ...RECORDED,
      parameters: { type: 'object', $ref: 'elsewhere.json' } as const,
    };
    const verdict = await validate('{}', recorded ? { recorded } : {});
    expect(verdict).toMatchObject({ valid: false, code: 'check_failed' });
  });

  it('fails for good for an agent that this worker does not hold [run:activities]', async () => {
    const validateToolCall = createValidateToolCall({
      agentOf: () => {
        throw new HoldfastError('unknown_agent', 'No such agent here.');
      },
    });
    const call = { providerCallId: '', tool: 't', argsText: '' };
    const input = { agent: 'x', requestKey: 'k', call, salt: 's', surface: [] };
    await expect(validateToolCall(input)).rejects.toMatchObject({
      type: 'holdfast.unknown_agent',
      nonRetryable: true,
    });
  });
});
