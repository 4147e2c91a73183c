import type { JudgedPath } from '../contract/call.js';
import { countedDecisions } from './counted-decisions.js';
import { isGuardVerdict } from './recognise.js';
import type { CallRecord } from './timeline.js';

/** Where the call leads: what a person edited was judged anew. Empty when the guard refused, or did not judge yet. */
export function pathsOf(call: CallRecord): readonly JudgedPath[] {
  const verdicts = countedDecisions(call).map(({ verdict }) => verdict?.value);
  for (const verdict of verdicts.toReversed()) {
    const edited = verdict && !verdict.repeated && verdict.accepted ? verdict.edited?.guard : undefined;
    if (edited && isGuardVerdict(edited) && edited.allowed) return edited.paths;
  }
  return call.guard?.value.allowed ? call.guard.value.paths : [];
}
