import type { Control } from '../contract/control.js';
import type { Digest } from '../contract/json.js';
import type { Budgets, Manifest, StartRequest } from '../contract/manifest.js';
import type { BudgetName, RunState } from '../contract/run.js';
import type { AnnouncementChange } from './announcement-ledger.js';
import type { CallChange } from './call-ledger.js';
import type { Place, RunEnd, TurnRecord } from './timeline.js';

/** What one event added, for those who watch a run while it goes on. */
export type TimelineChange = TimelineStep & { readonly place: Place };

/** The same, where the place is known already. */
export type TimelineStep =
  /** An execution began: the first, or a continuation with the state that it was given. */
  | { readonly kind: 'started'; readonly request: StartRequest; readonly state?: RunState }
  | { readonly kind: 'prepared'; readonly manifest: Manifest; readonly manifestDigest: Digest }
  /** A model call was scheduled. */
  | { readonly kind: 'asked'; readonly turn: TurnRecord }
  | { readonly kind: 'answered'; readonly turn: TurnRecord }
  | CallChange
  | AnnouncementChange
  /** An operator steered the run, and was not refused. */
  | { readonly kind: 'controlled'; readonly control: Control }
  /** A budget is used up, and no further tool runs; null when an operator has given more. */
  | {
      readonly kind: 'exhausted';
      readonly budget: BudgetName | null;
      /** Absent when the manifest is not known. */
      readonly onExhausted?: Budgets['onExhausted'];
    }
  | { readonly kind: 'continued' }
  | { readonly kind: 'ended'; readonly end: RunEnd };
