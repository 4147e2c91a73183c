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

/** `previewToolCall`'s recorded answer: what the request shows, or why there is nothing to show. */
export type ShownPreview = Preview | { readonly kind: 'failed'; readonly text: string };

/** `previewToolCall`'s recorded answer, with what it was for. */
export interface PreviewVerdict {
  readonly requestKey: string;
  readonly argsDigest: string;
  readonly preview: ShownPreview;
}
