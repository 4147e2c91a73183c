import type { FinishReason } from '../contract/activities.js';
import type { ProposedCall } from '../contract/call.js';
import { HoldfastError } from '../contract/error-codes.js';
import { promptOf } from './ai-sdk-prompt.js';
import type { AiSdkLanguageModel, AiSdkPart, AiSdkResult } from './ai-sdk-types.js';
import { ModelFailure, type Model, type ModelRequest, type ModelResponse } from './model.js';
import { providerFailure } from './provider-failure.js';

/**
 * A model behind any AI SDK provider object of specification v3 or v4 (`model:providers`). One `doGenerate`
 * is one request on the wire: the SDK's retries are not used, Temporal's are. Aborting the request's signal
 * closes it. Reasoning, files and sources in an answer are dropped. Throws ModelFailure (`model:failures`,
 * `model:clean`); throws HoldfastError `invalid_agent` at once for an object of another specification.
 */
export function aiSdkModel(model: AiSdkLanguageModel): Model {
  const version: string = model.specificationVersion;
  if (version !== 'v3' && version !== 'v4') {
    throw new HoldfastError(
      'invalid_agent',
      'This AI SDK model is neither of specification v3 nor v4: install a provider package of that version.',
    );
  }
  return {
    id: `${model.provider}/${model.modelId}`,
    generate: async (request) => responseOf(await ask(model, request)),
  };
}

async function ask(model: AiSdkLanguageModel, request: ModelRequest): Promise<AiSdkResult> {
  const tools = request.tools.map(({ name, description, parameters }) => ({
    type: 'function' as const,
    name,
    description,
    inputSchema: parameters,
  }));
  try {
    return await model.doGenerate({
      prompt: promptOf(request),
      ...(tools.length > 0 && { tools, toolChoice: { type: 'auto' as const } }),
      abortSignal: request.signal,
    });
  } catch (error) {
    request.signal.throwIfAborted();
    throw providerFailure(error, Date.now());
  }
}

function responseOf({ content, finishReason, usage }: AiSdkResult): ModelResponse {
  const inputTokens = tokens(usage.inputTokens.total);
  const outputTokens = tokens(usage.outputTokens.total);
  return {
    text: content.map((part) => (part.type === 'text' ? textOf(part.text) : '')).join(''),
    calls: content.filter((part) => part.type === 'tool-call').map(callOf),
    finishReason: finishReasonOf(finishReason.unified),
    usage: {
      ...(inputTokens !== undefined && { inputTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
    },
  };
}

function callOf({ toolCallId, toolName, input, providerExecuted }: AiSdkPart): ProposedCall {
  if (providerExecuted === true) {
    throw new ModelFailure(
      'The model provider ran a tool by itself, where nothing guards it: switch its own tools off.',
      false,
    );
  }
  return {
    providerCallId: textOf(toolCallId),
    tool: textOf(toolName),
    argsText: typeof input === 'string' ? input : (JSON.stringify(input) ?? ''),
  };
}

function finishReasonOf(reason: string): FinishReason {
  switch (reason) {
    case 'stop':
    case 'length':
      return reason;
    case 'tool-calls':
      return 'tool_calls';
    case 'content-filter':
      return 'content_filter';
    case 'error':
    case 'interrupted':
      // Half an answer may look like a whole one; asking again is safe, since nothing of it has run.
      throw new ModelFailure('The model stopped because of an error before its answer was complete.', true);
    default:
      return 'other';
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function tokens(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
