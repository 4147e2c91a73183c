import type { Decision, DecisionVerdict } from '../src/contract/decision.js';

/** How a request ended, as the tool call that made it learns it. */
export type Ruling =
  | { readonly kind: 'approved' | 'edited'; readonly decision: Decision; readonly verdict: AcceptedVerdict }
  | { readonly kind: 'denied'; readonly reason?: string }
  | { readonly kind: 'expired' }
  | { readonly kind: 'withdrawn' };

/** A verdict that lets its decision count. */
export type AcceptedVerdict = Extract<DecisionVerdict, { accepted: true }>;

/** What a decision that counts means for its call. */
export function rulingOf(decision: Decision, verdict: AcceptedVerdict): Ruling {
  switch (decision.decision) {
    case 'deny':
      return { kind: 'denied', ...(decision.reason !== undefined && { reason: decision.reason }) };
    case 'approve':
      return { kind: 'approved', decision, verdict };
    case 'edit':
      return { kind: 'edited', decision, verdict };
  }
}
