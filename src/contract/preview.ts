import type { Digest, JsonObject } from './json.js';
import type { RiskLevel } from './tool.js';

/** What an approver is shown of a call that has not run (`hitl:preview`). A tool's preview gives it. */
export interface Preview {
  /** `diff`: a unified diff. `text`: anything else. */
  readonly kind: 'diff' | 'text';
  /** Untrusted: whoever shows it makes control characters visible. Cut after LIMITS.previewBytes. */
  readonly text: string;
  /**
   * Names what the text was computed from, such as the digest of a file, in at most 128 characters. When it is
   * another by the time of execution, nothing runs.
   */
  readonly basis: string;
}

/** What a request shows of its call, or why there is nothing to show. Untrusted. */
export type ShownPreview = Preview | { readonly kind: 'failed'; readonly text: string };

/** `previewToolCall`'s recorded answer, with what it was for. */
export interface PreviewVerdict {
  readonly requestKey: string;
  readonly argsDigest: Digest;
  readonly preview: ShownPreview;
}

/** Whether what a shown preview rests on is the same now. `changed`: an execution would be refused. */
export type PreviewComparison = 'same' | 'changed';

export interface ComparePreviewInput {
  readonly agent: string;
  readonly tool: string;
  readonly riskLevel: RiskLevel;
  /** As they would run. */
  readonly args: JsonObject;
  /** Of the preview that was shown. */
  readonly basis: string;
}

/** The activities that a client asks of an agent's worker without a run. They change nothing. */
export interface AskedActivities {
  comparePreview(input: ComparePreviewInput): Promise<PreviewComparison>;
}
