import type { CallKey } from './call.js';
import type { RiskLevel } from './tool.js';

/**
 * What waits for people in a run, as an inbox lists it without asking the run: kept in its memo, without arguments
 * and without the model's words.
 */
export interface PendingSummary {
  /** How many requests wait. */
  readonly count: number;
  /** The oldest, at most LIMITS.summarisedRequests. */
  readonly requests: readonly SummarisedRequest[];
}

export interface SummarisedRequest {
  readonly requestKey: string;
  readonly call: CallKey;
  readonly tool: string;
  readonly riskLevel: RiskLevel;
  /** Milliseconds since the epoch, workflow time. */
  readonly requestedAt: number;
  readonly expiresAt: number;
  /** When it was announced again, since nobody had decided (`hitl:escalate`). Absent: it was not. */
  readonly escalatedAt?: number;
  /** Approvals that it needs, and has. Absent: one, and none. */
  readonly quorum?: number;
  readonly approved?: number;
}
