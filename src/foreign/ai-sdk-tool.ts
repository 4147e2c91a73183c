import { HoldfastError } from '../contract/error-codes.js';
import type { ObjectSchema, ToolOutcome } from '../contract/tool.js';
import { isFree } from '../policy/risk.js';
import type { Tool, ToolContext } from '../registry/tool.js';
import type { Adoption } from './adoption.js';
import { outcomeOfOutput, outcomeOfValue } from './ai-sdk-output.js';

/**
 * As much of what the AI SDK's `tool()` gives as is used; of its version 6, and of 5 where a tool has no
 * toModelOutput, which takes the output itself there.
 */
export interface AiSdkTool {
  readonly type?: string | undefined;
  readonly description?: string | undefined;
  readonly title?: string | undefined;
  readonly inputSchema: unknown;
  // Methods, so that any input type fits.
  execute?(input: never, options: never): unknown;
  toModelOutput?(options: never): unknown;
  readonly needsApproval?: unknown;
}

/**
 * Adopts a tool of the AI SDK whose `inputSchema` is `jsonSchema(...)`, under the name that it has among the tools,
 * or `adoption.name` when that is given. It is run with the arguments as they were validated, each path canonical, with the call's idempotency key for
 * `toolCallId`, and its abort signal; `messages` is empty. Of a stream of results the last one counts. Throws
 * HoldfastError `invalid_tool` for what would be lost: a schema with a check of its own, such as one of Zod, a tool
 * that a provider or a client executes, a free level for a tool that asks for approval. The rest is judged when a
 * worker takes the tool up.
 */
export function aiSdkTool(name: string, tool: AiSdkTool, adoption: Adoption = {}): Tool {
  const { name: called = name } = adoption;
  const refuse = (what: string): HoldfastError =>
    new HoldfastError('invalid_tool', `Tool ${called}: ${what}.`);
  if (tool.type !== undefined && tool.type !== 'function' && tool.type !== 'dynamic') {
    throw refuse('it is executed by a provider; only a tool with an execute of its own can be adopted');
  }
  if (typeof tool.execute !== 'function') throw refuse('it has no execute, so there is nothing to run');
  const { riskLevel = 'mutation' } = adoption;
  if ((tool.needsApproval ?? false) !== false && isFree(riskLevel)) {
    throw refuse(`it has needsApproval, and ${riskLevel} never asks; give it mutation or a stricter level`);
  }
  const { description, title } = tool;
  return {
    origin: 'foreign',
    def: {
      name,
      description: description ?? '',
      ...(title !== undefined && { label: title }),
      parameters: schemaOf(tool.inputSchema, refuse),
      ...adoption,
    },
    handler: (args, context) => run(tool, args, context),
  };
}

async function run(tool: AiSdkTool, input: never, context: ToolContext): Promise<ToolOutcome> {
  const { idempotencyKey: toolCallId, signal: abortSignal } = context;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the SDK gives, without a conversation
  const output = await lastOf(tool.execute?.(input, { toolCallId, messages: [], abortSignal } as never));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const shown = await tool.toModelOutput?.({ toolCallId, input, output } as never);
  return shown === undefined ? outcomeOfValue(output) : outcomeOfOutput(shown);
}

/** A generator gives preliminary results first. */
async function lastOf(output: unknown): Promise<unknown> {
  if (!isIterable(output)) return output;
  let last: unknown;
  for await (const value of output) last = value;
  return last;
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** The SDK takes a schema or a function that gives one. */
function schemaOf(given: unknown, refuse: (what: string) => HoldfastError): ObjectSchema {
  const schema: unknown = typeof given === 'function' && !('~standard' in given) ? given() : given;
  if (typeof schema !== 'object' || schema === null || !('jsonSchema' in schema)) {
    throw refuse('inputSchema must be a JSON Schema, as jsonSchema(...) of the AI SDK gives it');
  }
  if ('validate' in schema && schema.validate !== undefined) {
    throw refuse(
      'inputSchema has a check of its own, which would be skipped; give jsonSchema(...) without one',
    );
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- judged at registration, as any schema
  return schema.jsonSchema as ObjectSchema;
}
