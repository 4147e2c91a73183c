import type { History } from '@temporalio/common/lib/proto-utils.js';
import { isUndecodable, payloadConverter } from '../contract/payload-converter.js';
import { isJsonObject } from '../contract/json.js';
import {
  APPROVAL_SIGNAL,
  CONTROL_SIGNAL,
  CONTROL_UPDATE,
  DECIDE_UPDATE,
  EXHAUSTED_MEMO,
} from '../contract/names.js';

/** As a client fetches it, or as `historyFromJSON` makes it. */
export type HistoryEvent = NonNullable<History['events']>[number];
type Payload = Parameters<typeof payloadConverter.fromPayload>[0];
type Payloads = { readonly payloads?: Payload[] | null };

/** The kinds of event that say something about a run; values are decoded and not yet believed. */
export type HistoryFact =
  | { readonly kind: 'started'; readonly input: unknown }
  | { readonly kind: 'scheduled'; readonly activity: string; readonly input: unknown }
  | { readonly kind: 'attempt'; readonly scheduledId: number; readonly attempt: number }
  | { readonly kind: 'completed'; readonly scheduledId: number; readonly result: unknown }
  | { readonly kind: 'lost' | 'failed' | 'cancelled'; readonly scheduledId: number; readonly type?: string }
  | { readonly kind: 'local'; readonly activity: string; readonly result: unknown }
  /** A local activity that failed in every attempt. */
  | { readonly kind: 'local_failed'; readonly activity: string }
  | { readonly kind: 'decision'; readonly via: 'signal' | 'update'; readonly payload: unknown }
  /** What an operator asked; of an update its answer comes later, of a signal never. */
  | { readonly kind: 'control'; readonly payload: unknown; readonly answered: boolean }
  | { readonly kind: 'answer'; readonly acceptedId: number; readonly answer: unknown }
  /** A budget is used up; null when an operator has given more. */
  | { readonly kind: 'exhausted'; readonly budget: unknown }
  | { readonly kind: 'run_completed'; readonly result: unknown }
  | {
      readonly kind: 'run_failed';
      readonly type?: string;
      readonly message: string;
      readonly details: unknown;
    }
  | { readonly kind: 'run_cancelled' | 'run_terminated' | 'run_timed_out' }
  | { readonly kind: 'continued' };

/** What an event says of the run; undefined for the many that say nothing about it. */
export function factOf(event: HistoryEvent): HistoryFact | undefined {
  return (
    lifeOf(event) ??
    activityOf(event) ??
    localOf(event) ??
    decisionOf(event) ??
    controlOf(event) ??
    memoOf(event)
  );
}

/**
 * Whether a person may be asked from this event on: every request starts the timer of its expiry when it is made,
 * after its checks and its preview. The run's status says which requests wait.
 */
export function mayAsk(event: HistoryEvent): boolean {
  return Boolean(event.timerStartedEventAttributes);
}

function lifeOf(event: HistoryEvent): HistoryFact | undefined {
  const started = event.workflowExecutionStartedEventAttributes;
  if (started) return { kind: 'started', input: first(started.input) };
  const completed = event.workflowExecutionCompletedEventAttributes;
  if (completed) return { kind: 'run_completed', result: first(completed.result) };
  const failure = event.workflowExecutionFailedEventAttributes?.failure;
  if (failure) {
    const info = failure.applicationFailureInfo;
    return {
      kind: 'run_failed',
      message: failure.message ?? '',
      details: first(info?.details),
      ...(info?.type && { type: info.type }),
    };
  }
  if (event.workflowExecutionCanceledEventAttributes) return { kind: 'run_cancelled' };
  if (event.workflowExecutionTerminatedEventAttributes) return { kind: 'run_terminated' };
  if (event.workflowExecutionTimedOutEventAttributes) return { kind: 'run_timed_out' };
  if (event.workflowExecutionContinuedAsNewEventAttributes) return { kind: 'continued' };
  return undefined;
}

function activityOf(event: HistoryEvent): HistoryFact | undefined {
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled) {
    return { kind: 'scheduled', activity: scheduled.activityType?.name ?? '', input: first(scheduled.input) };
  }
  const started = event.activityTaskStartedEventAttributes;
  if (started) {
    return { kind: 'attempt', scheduledId: Number(started.scheduledEventId), attempt: started.attempt ?? 1 };
  }
  const completed = event.activityTaskCompletedEventAttributes;
  if (completed) {
    return {
      kind: 'completed',
      scheduledId: Number(completed.scheduledEventId),
      result: first(completed.result),
    };
  }
  const failed = event.activityTaskFailedEventAttributes;
  if (failed) {
    const type = failed.failure?.applicationFailureInfo?.type;
    return { kind: 'failed', scheduledId: Number(failed.scheduledEventId), ...(type && { type }) };
  }
  const lost = event.activityTaskTimedOutEventAttributes;
  if (lost) return { kind: 'lost', scheduledId: Number(lost.scheduledEventId) };
  const cancelled = event.activityTaskCanceledEventAttributes;
  if (cancelled) return { kind: 'cancelled', scheduledId: Number(cancelled.scheduledEventId) };
  return undefined;
}

/** Temporal's core writes what it must know to replay under `data`, and the activity's answer under `result`. */
function localOf(event: HistoryEvent): HistoryFact | undefined {
  const marker = event.markerRecordedEventAttributes;
  if (marker?.markerName !== 'core_local_activity') return undefined;
  const data = first(marker.details?.data);
  const activity = isJsonObject(data) && typeof data.activity_type === 'string' ? data.activity_type : '';
  // One that was cancelled ended with the run, and says nothing of the call.
  if (marker.failure?.canceledFailureInfo) return undefined;
  if (marker.failure) return { kind: 'local_failed', activity };
  return { kind: 'local', activity, result: first(marker.details?.result) };
}

function decisionOf(event: HistoryEvent): HistoryFact | undefined {
  const signal = event.workflowExecutionSignaledEventAttributes;
  if (signal?.signalName === APPROVAL_SIGNAL) {
    return { kind: 'decision', via: 'signal', payload: first(signal.input) };
  }
  const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
  if (update?.name === DECIDE_UPDATE) return { kind: 'decision', via: 'update', payload: first(update.args) };
  return undefined;
}

function controlOf(event: HistoryEvent): HistoryFact | undefined {
  const signal = event.workflowExecutionSignaledEventAttributes;
  if (signal?.signalName === CONTROL_SIGNAL) {
    return { kind: 'control', payload: first(signal.input), answered: false };
  }
  const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
  if (update?.name === CONTROL_UPDATE) {
    return { kind: 'control', payload: first(update.args), answered: true };
  }
  const completed = event.workflowExecutionUpdateCompletedEventAttributes;
  if (!completed) return undefined;
  const answer = first(completed.outcome?.success);
  return { kind: 'answer', acceptedId: Number(completed.acceptedEventId), answer };
}

function memoOf(event: HistoryEvent): HistoryFact | undefined {
  const payload = event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields?.[EXHAUSTED_MEMO];
  return payload ? { kind: 'exhausted', budget: memoValue(payload) } : undefined;
}

/** Null for a field that was cleared: the SDK writes nothing in its place. Undefined for what cannot be decoded. */
function memoValue(payload: Payload): unknown {
  const value: unknown = payloadConverter.fromPayload(payload);
  return isUndecodable(value) ? undefined : (value ?? null);
}

/** The first of some payloads, decoded; undefined for none and for what cannot be decoded. */
function first(payloads: Payloads | null | undefined): unknown {
  const payload = payloads?.payloads?.[0];
  if (!payload) return undefined;
  const value: unknown = payloadConverter.fromPayload(payload);
  return isUndecodable(value) ? undefined : value;
}
