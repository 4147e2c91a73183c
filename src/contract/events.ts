import type { AnnouncementType } from './announcement.js';
import type { BudgetExtension } from './control.js';
import type { Decision } from './decision.js';
import type { CallErrorCode, DecisionErrorCode, ErrorCode } from './error-codes.js';
import type { FinishReason } from './activities.js';
import type { Authorization, CallKey, OutcomeStatus } from './call.js';
import type { Digest } from './json.js';
import type { Budgets } from './manifest.js';
import type { BudgetName } from './run.js';
import type { RiskLevel } from './tool.js';

/**
 * What happened in a run, one thing each (`events:stream`). Names, sizes, codes and digests; never arguments,
 * outputs, the words of a model or a person, or paths (`events:no-args`). Turns and indexes are 0-based.
 */
export type RunEvent = RunEventBody & {
  /**
   * 1 for the first event of a run, then one more each, over all its continuations. It follows from the history
   * alone, so the same event has the same number for every reader at every time.
   */
  readonly seq: number;
  /** The server's time, milliseconds since the epoch. */
  readonly at: number;
};

/** The call that an event is about. */
export interface EventCall extends CallKey {
  /** `?` when what the model wrote cannot be the name of a tool. */
  readonly toolName: string;
}

export type RunEventBody =
  | { readonly type: 'run_start'; readonly agent: string; readonly promptBytes: number }
  | {
      readonly type: 'run_prepared';
      readonly agentVersion: string;
      readonly modelId: string;
      readonly tools: readonly string[];
      readonly manifestDigest: Digest;
    }
  /** The run goes on in a new execution, whose number this is; the first is 0. */
  | { readonly type: 'run_continued'; readonly continuation: number }
  | { readonly type: 'run_paused' | 'run_resumed'; readonly by: string }
  | { readonly type: 'run_message'; readonly by: string; readonly textBytes: number }
  | {
      readonly type: 'run_end';
      readonly status: 'done' | 'budget_exhausted' | 'failed' | 'cancelled' | 'terminated' | 'timed_out';
      /** Present exactly when the run failed. */
      readonly code?: ErrorCode;
      readonly exhausted?: BudgetName;
    }
  | { readonly type: 'turn_start'; readonly turn: number }
  | {
      readonly type: 'model_answered';
      readonly turn: number;
      readonly toolNames: readonly string[];
      readonly textBytes: number;
      readonly finishReason: FinishReason;
      /** Tokens as the provider counted them. */
      readonly usage: { readonly inputTokens?: number; readonly outputTokens?: number };
    }
  /** Every call of the turn has its outcome. It is told with what comes next: a turn, a continuation, the end. */
  | { readonly type: 'turn_end'; readonly turn: number }
  | (EventCall & {
      readonly type: 'tool_checked';
      readonly riskLevel: RiskLevel;
      readonly argsDigest: Digest;
    })
  | (EventCall & {
      readonly type: 'tool_execution_start';
      readonly argsDigest: Digest;
      readonly authorization: Authorization['kind'];
      /** Whose decision or grant lets it run: a claim. Absent for a call that runs unasked. */
      readonly approver?: string;
    })
  | (EventCall & {
      readonly type: 'tool_execution_end';
      readonly isError: boolean;
      readonly status: Extract<OutcomeStatus, 'ok' | 'error' | 'cancelled'>;
      /** Present exactly when status is `error`. */
      readonly code?: CallErrorCode;
      readonly attempts: number;
      readonly durationMs: number;
      /** Both absent when the execution gave no output. */
      readonly outputDigest?: Digest;
      readonly outputBytes?: number;
    })
  /** A call that ended without an execution: refused by a check, denied, expired, stopped. */
  | (EventCall & {
      readonly type: 'tool_not_executed';
      readonly status: Exclude<OutcomeStatus, 'ok'>;
      readonly code?: CallErrorCode;
    })
  /** A person is asked, by the recorded policy; the run's status holds the request itself. */
  | (EventCall & {
      readonly type: 'approval_requested';
      readonly riskLevel: RiskLevel;
      readonly argsDigest: Digest;
    })
  /** Nobody is asked: the recorded policy denies such calls. */
  | (EventCall & {
      readonly type: 'approval_denied_by_policy';
      readonly riskLevel: RiskLevel;
      readonly argsDigest: Digest;
    })
  /** Nobody decided in time, and the next approvers are asked by webhook; told once for each request. */
  | (EventCall & { readonly type: 'approval_escalated' })
  /** A webhook was told of a request, or was not in any attempt; the request waits all the same. */
  | (EventCall & {
      readonly type: 'approval_announced';
      readonly announcement: AnnouncementType;
      readonly webhook: string;
      readonly delivered: boolean;
      readonly attempts: number;
    })
  /** A decision that counts. The approver's name is a claim. */
  | (EventCall & {
      readonly type: 'approval_decided';
      readonly decision: Decision['decision'];
      readonly scope: 'once' | 'run';
      readonly approver: string;
      readonly decisionId: string;
      readonly via: 'signal' | 'update';
      /** How many more approvers must approve before the call runs. Absent: none (`hitl:quorum`). */
      readonly remaining?: number;
    })
  /** A decision that was refused and changed nothing. `call` is there when it named a request of this run. */
  | {
      readonly type: 'approval_refused';
      readonly code: DecisionErrorCode;
      readonly via: 'signal' | 'update';
      /** A claim. Absent when what arrived was no decision. */
      readonly approver?: string;
      readonly call?: EventCall;
    }
  /** A request that nobody decided; told when the turn is over. */
  | (EventCall & { readonly type: 'approval_expired' | 'approval_withdrawn' })
  | { readonly type: 'grant_revoked'; readonly toolName: string; readonly by: string }
  /** No further tool runs. */
  | {
      readonly type: 'budget_exhausted';
      readonly budget: BudgetName;
      /** What follows; with `pause` the run waits for an operator who extends the budget. */
      readonly onExhausted?: Budgets['onExhausted'];
    }
  | { readonly type: 'budget_extended'; readonly by: string; readonly add: BudgetExtension };

/** Which events of a run, and for how long. */
export interface FollowOptions {
  /** The number of the first event wanted, from 1; one that lies ahead is waited for. Default 1. */
  readonly from?: number;
  /** Ends the following, without an error. */
  readonly signal?: AbortSignal;
  /** How long a lost connection is tried again before the error is thrown, milliseconds. Default 60,000. */
  readonly reconnectMs?: number;
  /** Told once for each loss of the connection. */
  readonly onLost?: () => void;
}
