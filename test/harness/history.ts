import type { WorkflowHandle } from '@temporalio/client';
import type { PreparedRun } from '../../src/contract/manifest.js';
import { payloadConverter } from '../../src/contract/payload-converter.js';

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type Payload = Parameters<typeof payloadConverter.fromPayload>[0];

/** An activity as the history shows it: scheduled with its input, or a marker with its result. */
export interface SeenActivity {
  readonly eventId: number;
  readonly type: string;
  readonly input: unknown;
}

export interface SeenMarker {
  readonly eventId: number;
  readonly type: string;
  readonly result: unknown;
}

/** Ordinary activities in the order in which they were scheduled. */
export function scheduled(history: History, type?: string): readonly SeenActivity[] {
  return (history.events ?? []).flatMap((event) => {
    const attributes = event.activityTaskScheduledEventAttributes;
    if (!attributes) return [];
    const name = attributes.activityType?.name ?? '';
    const input = decode(attributes.input?.payloads?.[0]);
    return type === undefined || type === name ? [{ eventId: Number(event.eventId), type: name, input }] : [];
  });
}

/** What `prepareRun` recorded: the result of the first activity. */
export function recordedManifest(history: History): PreparedRun {
  const [prepared] = (history.events ?? []).flatMap((e) => e.activityTaskCompletedEventAttributes ?? []);
  return decode(prepared?.result?.payloads?.[0]) as PreparedRun;
}

/** Markers of local activities, in order. */
export function markers(history: History, type?: string): readonly SeenMarker[] {
  return (history.events ?? []).flatMap((event) => {
    const attributes = event.markerRecordedEventAttributes;
    if (attributes?.markerName !== 'core_local_activity') return [];
    const data = decode(attributes.details?.data?.payloads?.[0]) as { activity_type: string };
    const result = decode(attributes.details?.result?.payloads?.[0]);
    return type === undefined || type === data.activity_type
      ? [{ eventId: Number(event.eventId), type: data.activity_type, result }]
      : [];
  });
}

/** What tools answered, as the history holds it. */
export function outputs(history: History): readonly string[] {
  return (history.events ?? []).flatMap((event) => {
    const result = decode(event.activityTaskCompletedEventAttributes?.result?.payloads?.[0]);
    return typeof result === 'object' && result !== null && 'text' in result ? [String(result.text)] : [];
  });
}

/** Workflow tasks that failed. A run that is handled right has none. */
export function failedWorkflowTasks(history: History): number {
  return (history.events ?? []).filter((event) => event.workflowTaskFailedEventAttributes).length;
}

/** All that a history holds, its payloads readable: what is in none of these texts is nowhere in the history. */
export function textsOf(history: History): readonly string[] {
  return textsIn(history.events);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** How often the server started each activity of a type, in the order in which they were scheduled. */
export function attempts(history: History, type: string): readonly number[] {
  const started = (history.events ?? []).flatMap((event) => event.activityTaskStartedEventAttributes ?? []);
  return scheduled(history, type).map(
    ({ eventId }) => started.find((s) => Number(s.scheduledEventId) === eventId)?.attempt ?? 0,
  );
}

/** The results that model calls were given for tool calls, in the order in which they were appended. */
export function toldToModel(history: History): readonly { turn: number; index: number; status: string }[] {
  return scheduled(history, 'callModel').flatMap(({ input }) => {
    const { append } = input as {
      append: { kind: string; call: { turn: number; index: number }; status: string }[];
    };
    return append
      .filter((entry) => entry.kind === 'tool_result')
      .map((entry) => ({ ...entry.call, status: entry.status }));
  });
}

function decode(payload: Payload | null | undefined): unknown {
  return payload ? payloadConverter.fromPayload(payload) : undefined;
}
