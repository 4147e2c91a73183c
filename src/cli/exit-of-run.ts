import type { RunEnd } from '../audit/timeline.js';
import type { Exit } from './exit-codes.js';

/** How a command ends that saw a run to its end. */
export function exitOfRun(end: RunEnd | undefined): Exit {
  if (end?.status === 'cancelled') return 'cancelled';
  return end?.status === 'completed' && !end.result?.exhausted ? 'ok' : 'not_done';
}
