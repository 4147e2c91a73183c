import type { DecisionErrorCode } from './error-codes.js';
import type { Digest, JsonObject } from './json.js';
import { LIMITS } from './limits.js';
import type { ShownPreview } from './preview.js';
import type { CallKey, GuardVerdict, JudgedPath, ValidationVerdict } from './call.js';
import type { SignatureKind, VerifiedSignature } from './signed-decision.js';
import type { RiskLevel } from './tool.js';

/** What a person is asked, and all that an approver needs to see (`hitl:order`). */
export interface ApprovalRequest {
  /**
   * `run:turn:index:nonce:execution`. The nonce and the execution's id make it another one after a reset of the
   * workflow (`hitl:decision`).
   */
  readonly requestKey: string;
  readonly runId: string;
  readonly call: CallKey;
  readonly tool: string;
  readonly label?: string;
  readonly riskLevel: RiskLevel;
  /** The arguments that run when they are approved as they are. */
  readonly args: JsonObject;
  readonly argsDigest: Digest;
  readonly schemaDigest: Digest;
  readonly paths: readonly JudgedPath[];
  /** What the call would do, for tools that can say so (`hitl:preview`). Untrusted. */
  readonly preview?: ShownPreview;
  /** The model's own words around the call, cut to LIMITS.shownTextCharacters. Untrusted. */
  readonly modelText: string;
  /** Milliseconds since the epoch, workflow time. */
  readonly requestedAt: number;
  readonly expiresAt: number;
  /** When it was announced again, since nobody had decided (`hitl:escalate`). Absent: it was not. */
  readonly escalatedAt?: number;
  /** False when no decision may cover the whole run (`risk:always`). */
  readonly grantable: boolean;
  /** How many distinct approvers must approve. Absent: one (`hitl:quorum`). */
  readonly quorum?: number;
  /** Those who approved so far; an edit voids what came before it, and counts as the first. */
  readonly approvals?: readonly CountedApproval[];
  /** Set by an edit that needs more approvals: the arguments above are a person's (`hitl:quorum`). */
  readonly edited?: EditVerdicts;
}

/** An approval that counted, of a request that may need more. */
export interface CountedApproval {
  readonly approver: string;
  readonly decisionId: string;
  readonly keyId: string;
  readonly kind: SignatureKind;
  /** What it said of the whole run; a grant needs this of all (`hitl:grants`). */
  readonly scope: 'once' | 'run';
  /** Of the decision as it was signed, in the transcript store: execution verifies it again (`hitl:signed`). */
  readonly evidence: Digest;
}

/**
 * What an approver decides and signs, as a whole (`hitl:decision`). It arrives as a `SignedDecision` by signal
 * `approval` or update `decideApproval`.
 */
export interface Decision {
  readonly requestKey: string;
  readonly runId: string;
  readonly tool: string;
  readonly decision: 'approve' | 'deny' | 'edit';
  /** Of the arguments shown, not of the edited ones. */
  readonly argsDigest: Digest;
  /** Of the tool's recorded schema. */
  readonly schemaDigest: Digest;
  /** Chosen by the sender, unique; the same one again gets the same answer. */
  readonly decisionId: string;
  readonly approver: string;
  /** Only, and always, with `edit`. */
  readonly args?: JsonObject;
  /** Reaches the model as written. */
  readonly reason?: string;
  /** `run` asks for a grant for this tool until the run ends. Default `once`. */
  readonly scope?: 'once' | 'run';
}

/** The schema of what is signed; `validateApproval` judges by it. */
export const DECISION_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: [
    'requestKey',
    'runId',
    'tool',
    'decision',
    'argsDigest',
    'schemaDigest',
    'decisionId',
    'approver',
  ],
  properties: {
    requestKey: { type: 'string', minLength: 1, maxLength: LIMITS.keyCharacters },
    runId: { type: 'string', minLength: 1, maxLength: LIMITS.runIdCharacters },
    tool: { type: 'string', minLength: 1, maxLength: 64 },
    decision: { enum: ['approve', 'deny', 'edit'] },
    argsDigest: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    schemaDigest: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    decisionId: { type: 'string', minLength: 1, maxLength: LIMITS.decisionIdCharacters },
    approver: { type: 'string', minLength: 1, maxLength: 256 },
    args: { type: 'object' },
    reason: { type: 'string', maxLength: LIMITS.reasonCharacters },
    scope: { enum: ['once', 'run'] },
  },
  additionalProperties: false,
  if: { required: ['decision'], properties: { decision: { const: 'edit' } } },
  then: { required: ['args'] },
  else: { properties: { args: false } },
} as const;

/** What the sender of a decision is told. */
export type DecisionAnswer =
  | {
      readonly counted: true;
      readonly requestKey: string;
      readonly decision: Decision['decision'];
      /** How many more approvers must approve before it runs. Absent: none (`hitl:quorum`). */
      readonly remaining?: number;
    }
  | {
      readonly counted: false;
      readonly code: DecisionErrorCode;
      readonly text: string;
      /** JSON Pointer (RFC 6901) into the edited arguments, where the fault of an edit has a place. */
      readonly at?: string;
    };

/** An answer that is kept, so that a repeated decision gets the same one. */
export interface KeptAnswer {
  readonly decisionId: string;
  readonly payloadDigest: Digest;
  readonly answer: DecisionAnswer;
}

/** A positive verdict over arguments that stand elsewhere in the history. */
export type ValidArguments = Omit<Extract<ValidationVerdict, { valid: true }>, 'args'>;
/** A positive verdict of the guard. */
export type AllowedPaths = Extract<GuardVerdict, { allowed: true }>;

/** The verdicts over arguments that a person edited. */
export interface EditVerdicts {
  readonly validation: ValidArguments;
  readonly guard: AllowedPaths;
  /** What a preview of the edited arguments rests on (`hitl:preview`). */
  readonly basis?: string;
}

/**
 * `validateApproval`'s recorded answer (`hitl:revalidated`). What was signed stands in the history twice: in the
 * signal or update that carried it, and here as it was read, which is all that the workflow acts on.
 */
export type DecisionVerdict =
  | {
      readonly repeated?: false;
      readonly accepted: true;
      readonly decision: Decision;
      readonly signature: VerifiedSignature;
      /** Of what was signed and when it arrived, in the transcript store. */
      readonly evidence: Digest;
      /** Salted digest of the payload: the same id with another payload is another decision. */
      readonly payloadDigest: Digest;
      /** For an edit: the verdicts over the edited arguments. */
      readonly edited?: EditVerdicts;
      /** For an edit that needs more approvals: what the next approvers are shown of it. */
      readonly preview?: ShownPreview;
    }
  | {
      readonly repeated?: false;
      readonly accepted: false;
      readonly code: DecisionErrorCode;
      readonly text: string;
      /** JSON Pointer (RFC 6901) into the edited arguments, where the fault of an edit has a place. */
      readonly at?: string;
      /** What the payload named, whether it was rightly signed or not: claims. */
      readonly decisionId?: string;
      readonly requestKey?: string;
      /** Present when the signature is good: only then the answer is kept for the decisionId. */
      readonly payloadDigest?: Digest;
      readonly signature?: VerifiedSignature;
    }
  /** The very payload was judged before; it gets the same answer and changes nothing (`hitl:stale`). */
  | { readonly repeated: true; readonly answer: DecisionAnswer };

/** A verdict that lets its decision count. */
export type AcceptedVerdict = Extract<DecisionVerdict, { accepted: true }>;
