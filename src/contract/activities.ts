import type {
  Authorization,
  CallKey,
  ExecutionResult,
  GuardVerdict,
  ProposedCall,
  ValidationVerdict,
} from './call.js';
import type {
  AllowedPaths,
  ApprovalRequest,
  DecisionVerdict,
  KeptAnswer,
  ValidArguments,
} from './decision.js';
import type { Digest, JsonObject } from './json.js';
import type { Announcement, AnnouncementReceipt } from './announcement.js';
import type { ApprovalPolicy } from './approval-policy.js';
import type { ManifestTool, PreparedRun, StartRequest } from './manifest.js';
import type { PreviewVerdict } from './preview.js';
import type { RiskLevel } from './tool.js';
import type { SettledRequest } from './run.js';
import type { AssistantContent, TranscriptEntry } from './transcript.js';

export interface PrepareRunInput {
  readonly runId: string;
  readonly request: StartRequest;
}

export interface CallModelInput {
  readonly runId: string;
  readonly agent: string;
  readonly manifestDigest: Digest;
  readonly turn: number;
  readonly head: Digest | null;
  readonly append: readonly TranscriptEntry[];
  /** `none` for the last word after a budget is used up. */
  readonly tools: 'surface' | 'none';
}

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'other';

export interface CallModelResult {
  readonly content: AssistantContent;
  readonly finishReason: FinishReason;
  /** Tokens as the provider counted them; absent when it did not say. */
  readonly usage: { readonly inputTokens?: number; readonly outputTokens?: number };
  /** Digest of the node that ends with this answer. */
  readonly head: Digest;
}

export interface ValidateToolCallInput {
  readonly agent: string;
  readonly requestKey: string;
  readonly call: ProposedCall;
  readonly salt: string;
  /** The tool as recorded; absent when the surface has no tool of this name. */
  readonly recorded?: ManifestTool;
  /** Names of the surface, for the answer to an unknown name. */
  readonly surface: readonly string[];
}

/** A validated call, for `guardPaths` and `previewToolCall`. */
export interface ValidCallInput {
  readonly agent: string;
  readonly requestKey: string;
  readonly tool: string;
  readonly pathArgs: readonly string[];
  /** A free tool only reads; any other may write, which is judged more strictly (`path:protected`). */
  readonly riskLevel: RiskLevel;
  /** As recorded; those of the worker hold as well (`risk:pinned`). */
  readonly protectedPaths: readonly string[];
  readonly args: JsonObject;
  readonly argsDigest: Digest;
}

export interface ValidateApprovalInput {
  readonly agent: string;
  readonly runId: string;
  /** The JSON of what arrived, which may be anything; absent when nothing did. */
  readonly payload?: string;
  /** When it did: the server's time, milliseconds since the epoch. */
  readonly arrivedAt: number;
  /** As recorded (`hitl:authz`, `hitl:quorum`). */
  readonly approvals: ApprovalPolicy;
  /** Who started the run, as the start said. */
  readonly startedBy?: string;
  readonly salt: string;
  readonly pending: readonly ApprovalRequest[];
  readonly settled: readonly SettledRequest[];
  readonly answers: readonly KeptAnswer[];
  /** The recorded tools and protected paths, for the re-validation of an edit. */
  readonly tools: readonly ManifestTool[];
  readonly protectedPaths: readonly string[];
}

export interface ExecuteToolInput {
  readonly agent: string;
  readonly runId: string;
  readonly call: CallKey;
  /** `run:turn:index`, the same over attempts (`run:idempotency-key`). */
  readonly idempotencyKey: string;
  readonly requestKey: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly salt: string;
  /** The positive verdicts over exactly these arguments; the arguments stand once, above. */
  readonly validation: ValidArguments;
  readonly guard: AllowedPaths;
  readonly authorization: Authorization;
  /** As recorded; those of the worker hold as well (`risk:pinned`). */
  readonly protectedPaths: readonly string[];
  readonly execution: Pick<
    ManifestTool,
    'timeoutMs' | 'idempotent' | 'maxAttempts' | 'maxOutputBytes' | 'pathArgs'
  > & {
    /** Keep the whole of an output that is cut (`outcome:size`). Default false. */
    readonly keepWholeOutput?: boolean;
  };
}

export interface AnnounceRequestInput {
  /** By name: where it is, and what it signs with, is the worker's own. */
  readonly webhook: string;
  readonly announcement: Announcement;
}

/** The activities that `agentRun` calls, by name. The worker implements them; nothing runs a tool by another way. */
export interface HoldfastActivities {
  prepareRun(input: PrepareRunInput): Promise<PreparedRun>;
  callModel(input: CallModelInput): Promise<CallModelResult>;
  /** Local. */
  validateToolCall(input: ValidateToolCallInput): Promise<ValidationVerdict>;
  /** Local. */
  guardPaths(input: ValidCallInput): Promise<GuardVerdict>;
  /** Local. */
  previewToolCall(input: ValidCallInput): Promise<PreviewVerdict>;
  /** Local. */
  validateApproval(input: ValidateApprovalInput): Promise<DecisionVerdict>;
  executeTool(input: ExecuteToolInput): Promise<ExecutionResult>;
  announceRequest(input: AnnounceRequestInput): Promise<AnnouncementReceipt>;
}
