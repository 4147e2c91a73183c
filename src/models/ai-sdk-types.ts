/**
 * What Holdfast uses of an AI SDK language model, declared by structure, so that objects of specification v3
 * and v4 fit alike and no version of `@ai-sdk/provider` is bound.
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  /** One request to the provider; the SDK's retries are a layer above this. */
  doGenerate(options: AiSdkCallOptions): PromiseLike<AiSdkResult>;
}

export interface AiSdkCallOptions {
  prompt: AiSdkMessage[];
  tools?: AiSdkFunctionTool[];
  toolChoice?: { type: 'auto' };
  abortSignal: AbortSignal;
}

export interface AiSdkFunctionTool {
  type: 'function';
  name: string;
  description: string;
  inputSchema: object;
}

export interface AiSdkText {
  type: 'text';
  text: string;
}

export interface AiSdkToolCall {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
}

export interface AiSdkToolResult {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: { type: 'text' | 'error-text'; value: string };
}

export type AiSdkMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: AiSdkText[] }
  | { role: 'assistant'; content: (AiSdkText | AiSdkToolCall)[] }
  | { role: 'tool'; content: AiSdkToolResult[] };

/** A part of an answer. Only text and tool calls are read, and no member is trusted to be there. */
export interface AiSdkPart {
  readonly type: string;
  readonly text?: unknown;
  readonly toolCallId?: unknown;
  readonly toolName?: unknown;
  readonly input?: unknown;
  readonly providerExecuted?: unknown;
}

export interface AiSdkResult {
  readonly content: readonly AiSdkPart[];
  readonly finishReason: { readonly unified: string };
  readonly usage: {
    readonly inputTokens: { readonly total: number | undefined };
    readonly outputTokens: { readonly total: number | undefined };
  };
}
