import type { CallKey, OutcomeStatus, ProposedCall } from './call.js';
import type { CallErrorCode } from './error-codes.js';
import type { Digest } from './json.js';

/** What an assistant turn said. Untrusted. */
export interface AssistantContent {
  readonly text: string;
  readonly calls: readonly ProposedCall[];
}

/**
 * A text in the transcript: inline when the workflow made it; by the digest of `{ text }` when an activity
 * stored it.
 */
export type TranscriptText = { readonly inline: string } | { readonly stored: Digest };

/** One entry of the transcript. Entries written by `callModel` are `assistant`; all else is appended. */
export type TranscriptEntry =
  | { readonly kind: 'user'; readonly text: string }
  | {
      readonly kind: 'tool_result';
      readonly call: CallKey;
      readonly providerCallId: string;
      readonly tool: string;
      readonly status: OutcomeStatus;
      /** Present exactly when status is `error`. */
      readonly code?: CallErrorCode;
      /** Present exactly when the recorded policy, and no person, denied the call. */
      readonly byPolicy?: true;
      readonly text: TranscriptText;
    }
  /** A word from Holdfast to the model, such as that its budget is used up. */
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'assistant'; readonly content: AssistantContent };

/**
 * A node of the hash-linked chain (`run:transcript`). Its digest is that of its canonical JSON; the root
 * has the parent null and names the manifest.
 */
export interface TranscriptNode {
  readonly version: 1;
  readonly parent: Digest | null;
  readonly manifest: Digest;
  readonly entries: readonly TranscriptEntry[];
}
