import type { CallKey } from '../contract/call.js';
import type { JsonObject, JsonValue } from '../contract/json.js';
import type { Preview } from '../contract/preview.js';
import type { ToolDef, ToolOutcome } from '../contract/tool.js';
import type { Workspace } from '../workspace/workspace.js';

/** What a handler is given besides its arguments (`tool:handler-args`). */
export interface ToolContext {
  readonly runId: string;
  readonly call: CallKey;
  /** `run:turn:index`, the same over attempts: pass it on to what must not happen twice. */
  readonly idempotencyKey: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Aborted when the run is cancelled, when the tool's time is over, and when the worker shuts down. */
  readonly signal: AbortSignal;
  /** Tells the server that the tool is alive. Sent by itself too; needed only where the event loop is blocked. */
  readonly heartbeat: () => void;
  readonly workspace: Workspace;
  /**
   * What the preview that a person saw was computed from (`hitl:preview`). It was the same a moment ago; a tool that can
   * look again while it holds what it changes throws PreconditionChangedError when it is another.
   */
  readonly basis?: string;
  readonly log: ToolLogger;
}

/** Writes to the worker's log, with run and call. Never pass arguments, outputs or secrets (`events:no-args`). */
export interface ToolLogger {
  info(message: string, fields?: JsonObject): void;
  warn(message: string, fields?: JsonObject): void;
}

/** What a handler may return. A plain string means ok (`tool:handler-result`). */
export type ToolResult =
  | ToolOutcome
  | string
  | {
      readonly content: readonly { readonly type: 'text'; readonly text: string }[];
      readonly details?: JsonValue;
      readonly isError?: boolean;
    };

/**
 * Runs a tool. A throw becomes the outcome `error`, once (`tool:handler-throws`); return
 * `ToolOutcome.error(text)` when the model should read why.
 */
export type ToolHandler<Args> = (args: Args, context: ToolContext) => ToolResult | Promise<ToolResult>;

/** What a preview is given besides the arguments. */
export type PreviewContext = Pick<ToolContext, 'workspace' | 'signal'>;

/**
 * Says what a call would do, before a person is asked (`hitl:preview`). Gets arguments that were validated and
 * guarded, must change nothing, and has 10 s. It runs again right before the tool does: when its basis is
 * another by then, nothing runs and the outcome is the error `precondition_changed`. A throw is shown to the person
 * in place of a preview, and then nothing is compared.
 */
export type ToolPreview<Args> = (args: Args, context: PreviewContext) => Preview | Promise<Preview>;

/** A definition together with its handler, as the registry takes it. */
export interface Tool {
  readonly def: ToolDef;
  readonly handler: ToolHandler<never>;
  readonly preview?: ToolPreview<never>;
  /** Set by an adapter for a tool that was defined elsewhere (`tool:foreign`): its schema is read as such. */
  readonly origin?: 'foreign';
}
