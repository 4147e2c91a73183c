import type { FinishReason } from './activities.js';
import type { AnnouncementType } from './announcement.js';
import type { EndedCall } from './call.js';
import type { BudgetExtension } from './control.js';
import type { ApprovalRequest, CountedApproval, KeptAnswer } from './decision.js';
import type { Digest } from './json.js';
import type { Budgets, PreparedRun, StartRequest } from './manifest.js';
import type { TranscriptEntry } from './transcript.js';
import type { TurnUnderWay } from './turn-under-way.js';

/** The input of the workflow `agentRun`; `carried` only when it continues as new. */
export interface AgentRunInput {
  readonly request: StartRequest;
  readonly carried?: { readonly prepared: PreparedRun; readonly state: RunState };
}

/** The workflow type `agentRun`, for typed handles. */
export type AgentRun = (input: AgentRunInput) => Promise<RunResult>;

export type RunPhase =
  | 'preparing'
  | 'paused'
  /** A budget is used up, and an operator may extend it (`budget:exhausted`). */
  | 'exhausted'
  | 'model'
  | 'tools'
  | 'concluding'
  | 'ended';

/** A decision for the whole run, per tool (`hitl:grants`). */
export interface Grant {
  readonly tool: string;
  readonly approver: string;
  readonly decisionId: string;
  readonly requestKey: string;
  /** All that gave it, in the order in which they counted (`hitl:quorum`). */
  readonly approvals: readonly CountedApproval[];
}

export interface BudgetCounters {
  readonly errors: number;
  readonly consecutiveErrors: number;
  readonly consecutiveDenials: number;
  /** By tool; only tools that `maxErrorsPerTool` names and that had one. */
  readonly toolErrors: { readonly [tool: string]: number };
  readonly tokens: number;
}

/** A budget by name, as the final status names it. */
export type BudgetName = keyof Omit<Budgets, 'onExhausted' | 'exhaustedTimeoutMs' | 'maxRepeats'>;

/** How a request ended; kept so that a late decision gets a true answer. */
export interface SettledRequest {
  readonly requestKey: string;
  readonly how: 'decided' | 'expired' | 'withdrawn';
}

/** The whole state of a run: one JSON snapshot, carried through continue-as-new (`budget:durable`). */
export interface RunState {
  readonly version: 1;
  readonly phase: RunPhase;
  /** 0-based number of the turn at work. */
  readonly turn: number;
  /** Tool calls recorded so far in the run. */
  readonly calls: number;
  readonly budget: BudgetCounters;
  readonly exhausted?: BudgetName;
  /** Since when the run waits for an operator to extend it, workflow time. Absent: it does not. */
  readonly exhaustedAt?: number;
  /** What operators added to the recorded budgets, oldest first. */
  readonly extensions: readonly { readonly by: string; readonly add: BudgetExtension }[];
  /** Workflow time, milliseconds since the epoch. */
  readonly startedAt: number;
  /** Tool and digest of the last calls, oldest first (`budget:repeat`). */
  readonly recentCalls: readonly string[];
  /** Present while the run is paused: who asked for it. A claim, as every name. */
  readonly pausedBy?: string;
  /** Messages that the next model call reads, after the results of the turn (`run:control`). */
  readonly messages: readonly string[];
  readonly grants: readonly Grant[];
  /** Absent between two turns. */
  readonly underWay?: TurnUnderWay;
  /** Announcements whose delivery has not ended. */
  readonly announcing: readonly AnnouncementUnderWay[];
  /** Requests that wait, oldest first. */
  readonly pending: readonly ApprovalRequest[];
  readonly settled: readonly SettledRequest[];
  readonly answers: readonly KeptAnswer[];
  /** Null before the first model call. */
  readonly head: Digest | null;
  /** What the next model call appends. */
  readonly append: readonly TranscriptEntry[];
  /** How many times the run has continued as new. */
  readonly continuations: number;
}

/** An announcement to one webhook, by which request it is about. */
export interface AnnouncementUnderWay {
  readonly requestKey: string;
  readonly type: AnnouncementType;
  readonly webhook: string;
}

/** What the query `status` shows. */
export interface RunStatus extends Omit<RunState, 'append' | 'answers' | 'underWay' | 'announcing'> {
  readonly runId: string;
  readonly agent: string;
  /** Absent until the run is prepared. */
  readonly manifestDigest?: Digest;
  /** As recorded, with what operators added. */
  readonly budgets?: Budgets;
  readonly result?: RunResult;
}

/** How a run ended by itself. A cancelled or failed run ends as Temporal's Canceled or Failed. */
export interface RunResult {
  readonly status: 'done' | 'budget_exhausted';
  /** The model's last words. */
  readonly text: string;
  /** Of the last model call: with `length` or `content_filter` the text is not whole. */
  readonly finishReason?: FinishReason;
  readonly exhausted?: BudgetName;
  readonly turns: number;
  readonly calls: number;
  readonly budget: BudgetCounters;
  readonly head: Digest | null;
  /** With onExhausted `fail`: how the calls of the last turn ended, since no model call follows that tells it. */
  readonly untold?: readonly EndedCall[];
}
