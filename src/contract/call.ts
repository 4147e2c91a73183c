import type { CountedApproval } from './decision.js';
import type { CallErrorCode } from './error-codes.js';
import type { Digest, JsonObject, JsonValue } from './json.js';
import type { RiskLevel } from './tool.js';

/** The internal key of a tool call; a provider's call id is only a label (`outcome:key`). Both 0-based. */
export interface CallKey {
  readonly turn: number;
  readonly index: number;
}

/** A tool call as the model asked for it. Untrusted. */
export interface ProposedCall {
  /** The provider's label; may be empty, repeated or reused. */
  readonly providerCallId: string;
  readonly tool: string;
  /** The arguments as the model wrote them: text that may or may not be JSON. */
  readonly argsText: string;
  /** Bytes of arguments that were too large to be kept; `argsText` is empty then, and the call is refused. */
  readonly leftOut?: number;
}

/** `validateToolCall`'s recorded answer. */
export type ValidationVerdict =
  | {
      readonly valid: true;
      readonly requestKey: string;
      readonly tool: string;
      readonly args: JsonObject;
      readonly argsDigest: Digest;
      /** Digest of the schema recorded in the manifest, which the arguments passed. */
      readonly schemaDigest: Digest;
      /** The stricter of the recorded and the worker's level (`risk:pinned`). */
      readonly riskLevel: RiskLevel;
      /** Present when the worker's definition differs from the recorded one; its schema was passed too. */
      readonly currentSchemaDigest?: Digest;
    }
  | {
      readonly valid: false;
      readonly requestKey: string;
      readonly tool: string;
      readonly code: CallErrorCode;
      readonly text: string;
      /** JSON Pointer (RFC 6901) into the arguments, where the schema's fault has a place. */
      readonly at?: string;
      /** Absent when the text was not JSON. */
      readonly argsDigest?: Digest;
    };

/** One judged path. `argument` is its place in the arguments, such as `items[0].file`. */
export interface JudgedPath {
  readonly argument: string;
  /** Canonical, relative to the workspace root, with `/`; `.` is the root itself. */
  readonly relative: string;
}

/** `guardPaths`' recorded answer. */
export type GuardVerdict =
  | {
      readonly allowed: true;
      readonly requestKey: string;
      readonly argsDigest: Digest;
      readonly paths: readonly JudgedPath[];
    }
  | {
      readonly allowed: false;
      readonly requestKey: string;
      readonly argsDigest: Digest;
      readonly code: CallErrorCode;
      readonly text: string;
    };

/** Why an execution may happen. Repeated in the input of `executeTool`, so that the history holds it. */
export type Authorization =
  | { readonly kind: 'free'; readonly riskLevel: RiskLevel }
  | {
      readonly kind: 'decision';
      /** Of the request that was decided. */
      readonly requestKey: string;
      /** The last approver's. */
      readonly decisionId: string;
      readonly approver: string;
      /** All that were needed, in the order in which they counted (`hitl:quorum`). */
      readonly approvals: readonly CountedApproval[];
      readonly decision: 'approve' | 'edit';
      readonly argsDigest: Digest;
      /** The level that the approver was shown. */
      readonly riskLevel: RiskLevel;
      /** What the preview that the approver saw was computed from; execution compares (`hitl:preview`). */
      readonly basis?: string;
    }
  | {
      readonly kind: 'grant';
      /** The last approver's. */
      readonly decisionId: string;
      readonly approver: string;
      /** All that gave it, in the order in which they counted. */
      readonly approvals: readonly CountedApproval[];
    };

/** An output that was shown in part and kept as a whole (`outcome:size`). */
export interface WholeOutput {
  /** Of `{ text }` in the transcript store. */
  readonly digest: Digest;
  /** Of the text, in UTF-8. */
  readonly bytes: number;
}

/** `executeTool`'s recorded answer. */
export type ExecutionResult = ToolResult & {
  /** What the model reads: cut, if need be, and after an edit with a word on it. */
  readonly text: string;
  /** Of `{ text }` in the transcript store. */
  readonly output: Digest;
  readonly details?: JsonValue;
  /** Present when the text is cut and the agent keeps whole outputs. */
  readonly whole?: WholeOutput;
};

type ToolResult = { readonly status: 'ok' } | { readonly status: 'error'; readonly code: CallErrorCode };

export type OutcomeStatus = 'ok' | 'error' | 'denied' | 'expired' | 'cancelled';

/** Which call ended how. */
export type EndedCall = CallKey & CallOutcome;

/** How a tool call ended; exactly one for each call (`outcome:status`). */
export interface CallOutcome {
  readonly status: OutcomeStatus;
  /** Present exactly when status is `error`. */
  readonly code?: CallErrorCode;
  /** Present exactly when the recorded policy, and no person, denied the call. */
  readonly byPolicy?: true;
}
