import type { RecordedWebhook } from './announcement.js';
import type { ApprovalPolicy } from './approval-policy.js';
import type { Digest } from './json.js';
import { LIMITS } from './limits.js';
import type { ObjectSchema, RiskLevel } from './tool.js';

// Type aliases, not interfaces: only these are assignable to JsonObject, which the store takes.

/** The draft of JSON Schema by which a tool's arguments are judged (`schema:2020-12`). */
export type Dialect = '2020-12' | 'draft-07';

/** What the schema of a foreign tool says without any effect, each word once (`schema:unknown-keywords`). */
export type IgnoredWords = { readonly keywords: readonly string[]; readonly formats: readonly string[] };

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
  readonly repeatable: boolean;
  readonly maxOutputBytes: number;
  /** It can say what a call would do (`hitl:preview`). */
  readonly previews: boolean;
  /** `foreign`: defined elsewhere and adopted (`tool:foreign`). */
  readonly source: 'builtin' | 'custom' | 'foreign';
  /** Which draft decides about `parameters`. Our own tools are all of 2020-12. */
  readonly dialect: Dialect;
  /** Words of a foreign schema that count as annotations. Omitted: it has none. */
  readonly ignored?: IgnoredWords;
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
  /** Which identical call of the last 20 is refused, counted from 1, at most 20; 0 refuses none. Default 3. */
  readonly maxRepeats: number;
  /** Errors of one tool, by its name. Default none. */
  readonly maxErrorsPerTool?: { readonly [tool: string]: number };
  /** Tokens in and out, as the provider counts them; looked at after each model call. Default none. */
  readonly maxTokens?: number;
  /** From the start of the run, waiting included, milliseconds. Default none. */
  readonly maxWallClockMs?: number;
  /**
   * `conclude`: one last model call without tools. `fail`: the run fails. `pause`: the run waits for an operator
   * who extends the budget, and concludes when nobody does in time. Default `conclude`.
   */
  readonly onExhausted: 'conclude' | 'fail' | 'pause';
  /** With `pause`: how long an operator has, milliseconds. Default 24 h. */
  readonly exhaustedTimeoutMs: number;
};

/** Those that a start may lower: the ones that are a number. */
export type NumericBudgets = Omit<Budgets, 'onExhausted' | 'maxErrorsPerTool'>;

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
  /** Tools that ask every time, whatever their level and whatever is granted (`risk:require-approval-for`). */
  readonly requireApprovalFor: readonly string[];
  /** Who may decide what (`hitl:authz`). */
  readonly approvals: ApprovalPolicy;
  /** The namespace has no search attributes: an inbox does not list the run. Absent: false. */
  readonly unlisted?: boolean;
  /** Webhooks of the worker that are told of requests (`hitl:notify`). Absent: none is. */
  readonly webhooks?: readonly RecordedWebhook[];
  /** Tools of one turn that run at once. Default 10 (`hitl:parallel`). */
  readonly maxParallelCalls: number;
  /** Continue as new at a turn's end past this many events. Default 8,000. */
  readonly continueAfterEvents: number;
  /** Keep the whole of each output that is cut, in the transcript store (`outcome:size`). Absent: false. */
  readonly keepWholeOutputs?: boolean;
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

/** Which of the tools at hand a run may use. The same lists stand in an agent's definition and in a start. */
export type SurfaceLists = {
  /** Names of the tools to offer, custom ones included. Omitted: all that are at hand (`surface:allow`). */
  readonly tools?: readonly string[];
  /** Removes from what is there; always wins. */
  readonly excludeTools?: readonly string[];
  /** `all` offers none; `builtin` none of the built-in ones. */
  readonly noTools?: 'all' | 'builtin';
};

/** A start request: who starts a run may only narrow what the server configured (`surface:narrow-only`). */
export type StartRequest = SurfaceLists & {
  readonly agent: string;
  /** At most 256 KiB. */
  readonly prompt: string;
  /** Lower numbers than the agent's. What is omitted stays. */
  readonly budgets?: Partial<NumericBudgets>;
  /** More tools that ask every time. */
  readonly requireApprovalFor?: readonly string[];
  /** Who starts the run: a claim of the starter, which an agent may demand (`hitl:quorum`). 1 to 256 characters. */
  readonly startedBy?: string;
};

/** The schema of a start request; `prepareRun` judges by it. */
export const START_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['agent', 'prompt'],
  properties: {
    agent: { type: 'string', minLength: 1, maxLength: 64 },
    prompt: { type: 'string', pattern: '\\S' },
    tools: { $ref: '#/$defs/names' },
    excludeTools: { $ref: '#/$defs/names' },
    noTools: { enum: ['all', 'builtin'] },
    budgets: {
      type: 'object',
      properties: {
        maxErrors: { $ref: '#/$defs/count' },
        maxConsecutiveErrors: { $ref: '#/$defs/count' },
        maxConsecutiveDenials: { $ref: '#/$defs/count' },
        maxTurns: { $ref: '#/$defs/count' },
        maxRepeats: { type: 'integer', minimum: 1, maximum: LIMITS.recentCalls },
        maxTokens: { $ref: '#/$defs/count' },
        maxWallClockMs: { $ref: '#/$defs/count' },
        exhaustedTimeoutMs: { $ref: '#/$defs/count' },
      } satisfies Record<keyof NumericBudgets, object>,
      additionalProperties: false,
    },
    requireApprovalFor: { $ref: '#/$defs/names' },
    startedBy: { type: 'string', minLength: 1, maxLength: 256 },
  },
  additionalProperties: false,
  $defs: {
    names: { type: 'array', items: { type: 'string' }, maxItems: 1000 },
    count: { type: 'integer', minimum: 1 },
  },
} as const;
