import type { Digest } from '../contract/json.js';

/** What an approver is shown of a call that has not run (`hitl:preview`). */
export interface Preview {
  /** A unified diff, or a sentence where there is none. At most about 64 KiB. */
  readonly text: string;
  /** Of what the text was computed from. When it is another by the time of execution, the text no longer holds. */
  readonly basis: Digest;
}
