import type { FinishReason } from '../contract/activities.js';
import type { OutcomeStatus, ProposedCall } from '../contract/call.js';
import type { AssistantContent } from '../contract/transcript.js';
import type { ObjectSchema } from '../contract/tool.js';

/**
 * A message as a model reads it, every text loaded. Behind an assistant message with calls stand exactly as
 * many tool messages, in the order of the calls: an adapter pairs them by place, never by `providerCallId`,
 * which may be empty, repeated or reused (`outcome:key`).
 */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly content: AssistantContent }
  | {
      readonly role: 'tool';
      readonly providerCallId: string;
      readonly tool: string;
      readonly status: OutcomeStatus;
      readonly text: string;
    };

export interface ModelRequest {
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  /** Empty for the last word after a budget is used up. */
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: ObjectSchema;
  }[];
  /** Aborted when the run is cancelled or the request took too long: the model closes its request then. */
  readonly signal: AbortSignal;
}

export interface ModelResponse {
  readonly text: string;
  readonly calls: readonly ProposedCall[];
  readonly finishReason: FinishReason;
  readonly usage: { readonly inputTokens?: number; readonly outputTokens?: number };
}

/**
 * The port to a model: one request, one answer, no retries of its own (`model:failures`). Throws a
 * ModelFailure for what the provider refused.
 */
export interface Model {
  /** Recorded in the manifest. */
  readonly id: string;
  generate(request: ModelRequest): Promise<ModelResponse>;
}

/** A provider's failure, without request bodies, headers or keys (`model:clean`). */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  constructor(
    message: string,
    /** True for 429, 5xx and connection faults: another attempt may succeed. */
    readonly retryable: boolean,
    /** What the provider asked to wait, milliseconds. */
    readonly retryAfterMs?: number,
    readonly code: 'model_failed' | 'model_script_ended' = 'model_failed',
  ) {
    super(message);
  }
}
