import type { Digest } from './json.js';

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
