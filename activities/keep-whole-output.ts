import type { WholeOutput } from '../src/contract/call.js';
import { LIMITS } from '../src/contract/limits.js';
import type { TranscriptStore } from '../src/transcript/store.js';
import { wellFormed } from '../src/transcript/well-formed.js';

/** What became of an output that is shown in part, and the words on it for the notice. */
export interface KeptOutput {
  /** Absent when it was too large to be kept. */
  readonly whole?: WholeOutput;
  readonly words: string;
}

/**
 * Stores the whole of an output before it is cut (`outcome:size`), as `{ text }` under its digest, at most
 * LIMITS.wholeOutputBytes. People and auditors read it there; nothing but its digest and size enters the history.
 */
export async function keepWholeOutput(store: TranscriptStore, output: string): Promise<KeptOutput> {
  const text = wellFormed(output);
  const bytes = Buffer.byteLength(text);
  if (bytes > LIMITS.wholeOutputBytes) {
    return { words: ` The whole was not kept: it has more than ${LIMITS.wholeOutputBytes} bytes.` };
  }
  const digest = await store.put({ text });
  return { whole: { digest, bytes }, words: ` The whole was kept for people, under ${digest}.` };
}
