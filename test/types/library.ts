// `npm run types` is the test: what users of the library write compiles, and wrong uses do not.
import { jsonSchema, tool, type Tool as SdkTool } from '@ai-sdk/provider-utils';
import { expectTypeOf } from 'vitest';
import {
  aiSdkTool,
  createWorker,
  decisionFor,
  defineAgent,
  defineTool,
  ERROR_CODES,
  HoldfastError,
  ModelFailure,
  openAiCompatibleModel,
  piTool,
  RetryableToolError,
  ScriptedModel,
  ToolOutcome,
  type Agent,
  type ApprovalRequest,
  type DecisionAnswer,
  type ErrorCode,
  type FileTranscriptStore,
  type HoldfastClient,
  type HoldfastWorker,
  type Model,
  type RiskLevel,
  type Tool,
  type ToolContext,
} from '../../src/index.js';

const model: Model = new ScriptedModel([{ text: 'done' }]);
const parameters = {
  type: 'object',
  properties: { line: { type: 'string' }, times: { type: 'integer' } },
  required: ['line'],
  additionalProperties: false,
} as const;
const common = { name: 't', description: 'd', parameters } as const;

// A tool: its arguments' types, its context, and each shape of a result.
const note: Tool = defineTool({ ...common, riskLevel: 'mutation' }, (args, context) => {
  expectTypeOf(args.line).toEqualTypeOf<string>();
  expectTypeOf(args.times).toEqualTypeOf<number | undefined>();
  expectTypeOf(context).toEqualTypeOf<ToolContext>();
  context.log.info('noted', { bytes: args.line.length });
  if (context.signal.aborted) throw new RetryableToolError('Try again.');
  return ToolOutcome.ok('Noted.', { attempt: context.attempt });
});
defineTool(common, () => 'a plain string');
defineTool(common, async () => ToolOutcome.error('no'));
defineTool(common, () => ({ content: [{ type: 'text', text: 'x' }], isError: false }));
defineTool({ ...common, idempotent: true, maxAttempts: 2, timeoutMs: 1000 }, () => 'x');

// @ts-expect-error a result is a text, an outcome or content
defineTool(common, () => 42);
// @ts-expect-error there are five levels
defineTool({ ...common, riskLevel: 'mild' }, () => 'x');
// @ts-expect-error a description is what the model reads
defineTool({ name: 't', parameters }, () => 'x');
// @ts-expect-error a mistyped field
defineTool({ ...common, pathArg: ['line'] }, () => 'x');
// @ts-expect-error the root is an object schema
defineTool({ name: 't', description: 'd', parameters: { type: 'string' } }, () => 'x');
// @ts-expect-error line is a string
defineTool(common, (args: { line: number }) => String(args.line));
// @ts-expect-error what a handler is given is read only
defineTool(common, (_, context) => (context.runId = 'x'));

// An agent.
const agent: Agent = defineAgent({
  name: 'a',
  instructions: 'Keep order.',
  model,
  workspace: '.',
  tools: ['read', 't'],
  excludeTools: ['grep'],
  noTools: 'builtin',
  requireApprovalFor: ['t'],
  protectedPaths: ['secrets/**'],
  customTools: [note],
  enableWriteTools: true,
  budgets: { maxErrors: 3, onExhausted: 'fail' },
  approvalTimeoutMs: 1000,
});
// @ts-expect-error a workspace is named
defineAgent({ name: 'a', instructions: '', model });
// @ts-expect-error a model is one that generates
defineAgent({ name: 'a', instructions: '', workspace: '.', model: 'gpt' });
// @ts-expect-error a mistyped field
defineAgent({ name: 'a', instructions: '', workspace: '.', model, excludedTools: [] });
// @ts-expect-error a mistyped budget
defineAgent({ name: 'a', instructions: '', workspace: '.', model, budgets: { maxError: 1 } });
// @ts-expect-error a definition without its handler is no tool
defineAgent({ name: 'a', instructions: '', workspace: '.', model, customTools: [common] });
// @ts-expect-error a checked definition does not change
agent.enableWriteTools = false;

// Tools from elsewhere.
const sdk = tool({
  description: 'd',
  inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: ({ city }, { toolCallId, abortSignal }) => `${city} ${toolCallId} ${String(abortSignal?.aborted)}`,
});
const adopted: readonly Tool[] = [
  aiSdkTool('weather', sdk, { riskLevel: 'read_only' }),
  aiSdkTool('weather', {} as SdkTool),
  piTool(
    {
      name: 'p',
      label: 'P',
      description: 'd',
      parameters: {},
      execute: async (id: string, params: { n: number }, signal?: AbortSignal) => ({
        content: [{ type: 'text' as const, text: id + String(params.n) + String(signal?.aborted) }],
        details: undefined,
      }),
    },
    { name: 'q', pathArgs: ['file'] },
  ),
];
// @ts-expect-error there are five levels
aiSdkTool('weather', sdk, { riskLevel: 'mild' });
// @ts-expect-error a name is needed: the SDK's tools have none
aiSdkTool(sdk);
// @ts-expect-error the schema is the tool's own
aiSdkTool('weather', sdk, { parameters });
// @ts-expect-error a Pi-style tool executes
piTool({ name: 'p', description: 'd', parameters: {} });

// A worker, a client, a decision.
export async function work(transcript: FileTranscriptStore): Promise<HoldfastWorker> {
  // @ts-expect-error a transcript is needed
  await createWorker({ agents: [agent] });
  return createWorker({ agents: [defineAgent({ ...agent, customTools: adopted })], transcript });
}

export async function decide(client: HoldfastClient, request: ApprovalRequest): Promise<string> {
  const runId = await client.start({
    agent: 'a',
    prompt: 'Do it.',
    tools: ['read'],
    budgets: { maxTurns: 3 },
  });
  // @ts-expect-error a start does not say how a run ends whose budget is used up
  await client.start({ agent: 'a', prompt: 'Do it.', budgets: { onExhausted: 'fail' } });
  // @ts-expect-error nor how often one tool may fail
  await client.start({ agent: 'a', prompt: 'Do it.', budgets: { maxErrorsPerTool: { read: 1 } } });
  // @ts-expect-error the server resolves the workspace, no client does
  await client.start({ agent: 'a', prompt: 'Do it.', cwd: '/' });
  // @ts-expect-error an answer is approve, deny or edit
  decisionFor(request, { decision: 'allow', approver: 'ann' });
  // @ts-expect-error an approver is named
  decisionFor(request, { decision: 'approve' });
  // @ts-expect-error a decision names its request and its arguments
  await client.decide(runId, { decision: 'approve', approver: 'ann' });
  const answer: DecisionAnswer = await client.decide(
    runId,
    decisionFor(request, { decision: 'edit', args: { line: 'x' }, approver: 'ann', scope: 'once' }),
  );
  // @ts-expect-error only a refusal has a code
  void answer.code;
  if (!answer.counted) return `${answer.code}: ${answer.text}`;
  const result = await client.result(runId);
  expectTypeOf(result.status).toExtend<string>();
  return result.status;
}

// A model of one's own, and errors.
export const own: Model = {
  id: 'own',
  generate: async ({ signal }) => {
    if (signal.aborted) throw new ModelFailure('Busy.', true, 1000);
    return { text: 'x', calls: [], finishReason: 'stop', usage: {} };
  },
};
export const mute: Model = {
  id: 'mute',
  // @ts-expect-error an answer has a text
  generate: async () => ({ calls: [], finishReason: 'stop', usage: {} }),
};
openAiCompatibleModel({ baseUrl: 'http://localhost/v1', model: 'm' });

const code: ErrorCode = 'invalid_tool';
// @ts-expect-error codes stand in one table
export const unknown: ErrorCode = 'bad_tool';
export const error: HoldfastError = new HoldfastError(code, ERROR_CODES[code].meaning);
const level: RiskLevel = 'dangerous';
export const levels: readonly RiskLevel[] = [level];
