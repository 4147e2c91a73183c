import type { Digest, JsonObject } from './json.js';
import type { ObjectSchema, RiskLevel } from './tool.js';

// Type aliases, not interfaces: only these are assignable to JsonObject, which the store takes.

/** A tool as a run recorded it. It decides for the whole run (`risk:pinned`). */
export type ManifestTool = {
  readonly name: string;
  readonly label?: string;
  readonly description: string;
  readonly riskLevel: RiskLevel;
  readonly parameters: ObjectSchema;
  /** Over the canonical JSON of `parameters`. */
  readonly schemaDigest: Digest;
  readonly pathArgs: readonly string[];
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
  readonly idempotent: boolean;
  readonly maxAttempts: number;
  readonly parallel: boolean;
  readonly maxOutputBytes: number;
  readonly source: 'builtin' | 'custom';
};

/** Budgets of a run (`budget:errors`, `budget:exhausted`, `budget:turns`). */
export type Budgets = {
  /** Default 10. */
  readonly maxErrors: number;
  /** Default 3. */
  readonly maxConsecutiveErrors: number;
  /** Default 5. */
  readonly maxConsecutiveDenials: number;
  /** Default 100. */
  readonly maxTurns: number;
  /** `conclude`: one last model call without tools. `fail`: the run fails. Default `conclude`. */
  readonly onExhausted: 'conclude' | 'fail';
};

/** What `prepareRun` resolved on the worker and recorded at the start of a run. Plain JSON. */
export type Manifest = {
  readonly version: 1;
  readonly agent: { readonly name: string; readonly version: string };
  readonly modelId: string;
  readonly instructions: string;
  /** In the order in which the model sees them. */
  readonly tools: readonly ManifestTool[];
  readonly budgets: Budgets;
  /** How long a request waits, milliseconds. Default 24 h (`hitl:expire`). */
  readonly approvalTimeoutMs: number;
  /** How long one model request may take, milliseconds. Default 120,000. */
  readonly modelTimeoutMs: number;
  /** Attempts of one model call when the failure may pass. Default 4. */
  readonly modelMaxAttempts: number;
  readonly protectedPaths: readonly string[];
  /** Continue as new at a turn's end past this many events. Default 8,000. */
  readonly continueAfterEvents: number;
  /** Digest of the canonical workspace root; never the path itself. */
  readonly workspaceDigest: Digest;
  /** Random; arguments are digested with it, so that digests betray nothing. */
  readonly salt: string;
};

/** What `prepareRun` answers. */
export interface PreparedRun {
  readonly manifest: Manifest;
  /** Over the canonical JSON of the manifest; the store holds it under this digest. */
  readonly manifestDigest: Digest;
}

/** A start request: what a client may ask (`surface:narrow-only`). */
export interface StartRequest extends JsonObject {
  readonly agent: string;
  readonly prompt: string;
}
