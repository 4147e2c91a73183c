import type { JsonObject, JsonValue } from './json.js';

/** From harmless to irreversible (`tool:risk-levels`). The order is the order of strictness. */
export const RISK_LEVELS = ['safe', 'read_only', 'mutation', 'destructive', 'dangerous'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** A JSON Schema whose root is an object schema; of draft 2020-12 where nobody else wrote it. */
export type ObjectSchema = JsonObject & { readonly type: 'object' };

/** What a tool is, without its handler (`tool:def`). Plain JSON: recorded in the manifest as it is. */
export interface ToolDef {
  /** `^[A-Za-z0-9_-]{1,64}$`, unique in the agent (`tool:name`). */
  readonly name: string;
  /** What the model reads. */
  readonly description: string;
  /** What people read instead of the name. Default: the name. */
  readonly label?: string;
  /** Absent means `mutation`, with a warning at registration. */
  readonly riskLevel?: RiskLevel;
  readonly parameters: ObjectSchema;
  /** Every argument that is a path: `source`, `job.from`, `paths[]`, `items[].file` (`tool:path-args`). */
  readonly pathArgs?: readonly string[];
  /** The tool's time, milliseconds. Default 60,000. Ending it gives the outcome `tool_timeout`. */
  readonly timeoutMs?: number;
  /** A worker silent for this long is taken for dead, milliseconds. Default 10,000. */
  readonly heartbeatMs?: number;
  /** Running it twice with one idempotency key is as running it once. Default false: at most one start. */
  readonly idempotent?: boolean;
  /** Attempts when a worker dies or a RetryableToolError is thrown. Only with `idempotent`. Default 3 then. */
  readonly maxAttempts?: number;
  /** May run beside other calls of its turn. Default false. */
  readonly parallel?: boolean;
  /** Exempt from the repeat guard. Default false. */
  readonly repeatable?: boolean;
  /** Cap of the output shown to the model, bytes. Default 51,200. */
  readonly maxOutputBytes?: number;
}

/** What a handler says of itself (`tool:handler-result`). The text never decides the status. */
export type ToolOutcome =
  | { readonly status: 'ok'; readonly text: string; readonly details?: JsonValue }
  | { readonly status: 'error'; readonly text: string; readonly details?: JsonValue };

/** Makes outcomes. A handler returns one, or a plain string, which means ok. */
export const ToolOutcome = {
  ok: (text: string, details?: JsonValue): ToolOutcome => ({
    status: 'ok',
    text,
    ...(details !== undefined && { details }),
  }),
  error: (text: string, details?: JsonValue): ToolOutcome => ({
    status: 'error',
    text,
    ...(details !== undefined && { details }),
  }),
} as const;
