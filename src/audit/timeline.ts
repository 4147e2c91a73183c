import type { FinishReason } from '../contract/activities.js';
import type {
  Authorization,
  CallKey,
  CallOutcome,
  ExecutionResult,
  GuardVerdict,
  ProposedCall,
  ValidationVerdict,
} from '../contract/call.js';
import type { AnnouncementType } from '../contract/announcement.js';
import type { BudgetExtension } from '../contract/control.js';
import type { Decision, DecisionAnswer, DecisionVerdict } from '../contract/decision.js';
import type { Digest, JsonObject } from '../contract/json.js';
import type { Budgets, Manifest, StartRequest } from '../contract/manifest.js';
import type { RunResult } from '../contract/run.js';
import { extend } from '../policy/budget.js';
import type { HistoryEvent } from './history-event.js';
import { TimelineFold } from './timeline-fold.js';

/** Where the history holds something. */
export interface Place {
  /** 0 in the first execution, one more after each continuation; event ids begin anew in each. */
  readonly continuation: number;
  readonly eventId: number;
  /** The server's time, milliseconds since the epoch. */
  readonly at: number;
}

export interface Recorded<Value> extends Place {
  readonly value: Value;
}

/** One model call, and the tool calls that it asked for. */
export interface TurnRecord {
  /** 0-based. */
  readonly turn: number;
  readonly scheduled: Place;
  /** Absent while the model has not answered, and when it never did. */
  readonly answered?: Place;
  /** Attempts so far. */
  readonly attempts: number;
  /** The model's own words. Untrusted. */
  readonly text: string;
  readonly finishReason?: FinishReason;
  readonly usage: { readonly inputTokens?: number; readonly outputTokens?: number };
  readonly calls: readonly CallRecord[];
}

/** Everything that the history says of one tool call. What is absent has not happened. */
export interface CallRecord {
  readonly key: CallKey;
  readonly proposed: ProposedCall;
  readonly validation?: Recorded<ValidationVerdict>;
  readonly guard?: Recorded<GuardVerdict>;
  /** A check that could not be completed, so that nothing ran. */
  readonly failedCheck?: Place;
  /** The decisions that named this call's request, in the order of their arrival. */
  readonly decisions: readonly DecisionRecord[];
  readonly execution?: ExecutionRecord;
  readonly outcome?: CallOutcome;
  /** What the model was told of it, where the run itself wrote that. */
  readonly told?: string;
}

export interface DecisionRecord {
  readonly via: 'signal' | 'update';
  readonly arrived: Place;
  /** Absent when what arrived was no decision. Untrusted. */
  readonly decision?: Decision;
  /** Absent until it was judged. */
  readonly verdict?: Recorded<DecisionVerdict>;
  /** What the run answered that did not count it, though every check had accepted it. */
  readonly uncounted?: Uncounted;
  /** How many more approvals its call needed then (`hitl:quorum`): 0 when it decided. Absent when it did not count. */
  readonly remaining?: number;
}

/** A refusal after the verdict: the request was withdrawn meanwhile, or too much would have waited. */
type Uncounted = Extract<DecisionAnswer, { counted: false }>;

/** Whether its verdict lets the decision count, and the run did count it. */
export function isAccepted({ verdict, uncounted }: DecisionRecord): boolean {
  return !uncounted && verdict !== undefined && !verdict.value.repeated && verdict.value.accepted;
}

/** Why the decision was refused; undefined when it was not. */
export function refusalOf({
  decision,
  verdict,
  uncounted,
}: DecisionRecord): Extract<DecisionVerdict, { accepted: false }> | undefined {
  if (uncounted) {
    const { code, text, at } = uncounted;
    return {
      accepted: false,
      code,
      text,
      ...(at !== undefined && { at }),
      ...(decision && { decisionId: decision.decisionId }),
    };
  }
  return verdict && !verdict.value.repeated && !verdict.value.accepted ? verdict.value : undefined;
}

export interface ExecutionRecord {
  readonly scheduled: Place;
  readonly tool: string;
  /** What really ran. */
  readonly args: JsonObject;
  /** Over these arguments. */
  readonly argsDigest: Digest;
  readonly authorization: Authorization;
  readonly attempts: number;
  readonly ended?: Place;
  /** `lost`: the worker died or fell silent. `failed`: the activity itself failed. */
  readonly end?: ExecutionResult | { readonly status: 'lost' | 'failed' | 'cancelled' };
}

/** A webhook was told of a request, or was to be. */
export interface AnnouncementRecord {
  readonly type: AnnouncementType;
  /** By its recorded name. */
  readonly webhook: string;
  readonly key: CallKey;
  readonly scheduled: Place;
  /** The attempt that came last, from 1; 0 before the first has ended. */
  readonly attempts: number;
  /** Absent while it is under way, and when the end of the run cut it off. */
  readonly ended?: Place;
  /** Present exactly when it has ended: whether the webhook took it. */
  readonly delivered?: boolean;
}

export type RunEnd =
  | (Place & { readonly status: 'completed'; readonly result?: RunResult })
  | (Place & {
      readonly status: 'failed';
      /** Such as `holdfast.model_failed`. */
      readonly type?: string;
      readonly message: string;
      readonly result?: RunResult;
    })
  | (Place & { readonly status: 'cancelled' | 'terminated' | 'timed_out' });

/** An operator gave a run more of its budgets, and was not refused. */
export interface ExtensionRecord {
  /** Who asked for it. A claim, as every name. */
  readonly by: string;
  readonly add: BudgetExtension;
  /** Absent when the history of that part is gone. */
  readonly accepted?: Place;
}

/** What one run did, from its history alone (`audit:timeline`). */
export interface Timeline {
  readonly started?: Place;
  readonly request?: StartRequest;
  readonly manifest?: Manifest;
  readonly turns: readonly TurnRecord[];
  /** All that arrived, whether or not it named a request. */
  readonly decisions: readonly DecisionRecord[];
  /** Oldest first. */
  readonly extensions: readonly ExtensionRecord[];
  /** What webhooks were told, in the order in which that was begun (`hitl:notify`). */
  readonly announcements: readonly AnnouncementRecord[];
  readonly end?: RunEnd;
  /** Event ids whose contents could not be read as Holdfast's own; nothing is concluded from them. */
  readonly unreadable: readonly Place[];
}

/** The budgets that hold: as recorded, with what operators added. Undefined until the run is prepared. */
export function budgetsOf({
  manifest,
  extensions,
}: Pick<Timeline, 'manifest' | 'extensions'>): Budgets | undefined {
  return manifest && extensions.reduce((budgets, { add }) => extend(budgets, add), manifest.budgets);
}

/**
 * Reads a history: the events of `fetchHistory()`, those of a run's continuations one after another. Never
 * throws for what a history holds: what cannot be read is listed as unreadable.
 */
export function timelineOf(events: Iterable<HistoryEvent>): Timeline {
  const fold = new TimelineFold();
  for (const event of events) fold.add(event);
  return fold.timeline;
}
