import type { FinishReason } from './activities.js';
import type { Authorization, CallOutcome, ProposedCall } from './call.js';
import type { AllowedPaths, ApprovalRequest, ValidArguments } from './decision.js';
import type { JsonObject } from './json.js';
import type { TranscriptText } from './transcript.js';

/**
 * The turn at work: how far each of its calls has come, in their order. A run may continue as new in the middle of a
 * turn, and its successor goes on from here (`run:continue-as-new`).
 */
export interface TurnUnderWay {
  /** The model's words around its calls, cut to LIMITS.shownTextCharacters. */
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly calls: readonly CallUnderWay[];
}

/** What the model called it by, and how far it has come. */
export interface CallUnderWay {
  readonly providerCallId: string;
  readonly tool: string;
  readonly step: CallStep;
}

export type CallStep =
  | { readonly at: 'proposed'; readonly call: ProposedCall }
  | { readonly at: 'checked'; readonly checked: CheckedArguments }
  | { readonly at: 'ruled'; readonly checked: CheckedArguments; readonly ruling: Ruling }
  | { readonly at: 'authorized'; readonly checked: CheckedArguments; readonly authorization: Authorization }
  | { readonly at: 'ended'; readonly end: CallEnd };

/** How a request ended. */
export type Ruling =
  /** By as many as it needed; the request holds the arguments to run, those of an edit if there was one. */
  | {
      readonly kind: 'approved';
      readonly request: ApprovalRequest;
      /** The request's key as the last decision named it. */
      readonly decidedAs: string;
    }
  | { readonly kind: 'denied'; readonly reason?: string }
  | { readonly kind: 'expired' }
  | { readonly kind: 'withdrawn' };

/** Arguments with two positive verdicts over them. */
export interface CheckedArguments {
  readonly requestKey: string;
  /** Carried without them where a request holds them. */
  readonly args?: JsonObject;
  readonly validation: ValidArguments;
  readonly guard: AllowedPaths;
}

/** How a call ended, and what the model reads of it. */
export interface CallEnd {
  readonly outcome: CallOutcome;
  readonly text: TranscriptText;
}
