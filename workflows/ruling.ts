import type { ApprovalRequest } from '../src/contract/decision.js';

/** How a request ended, as the tool call that made it learns it. */
export type Ruling =
  /** By as many as it needed; the request holds the arguments to run, those of an edit if there was one. */
  | {
      readonly kind: 'approved';
      readonly request: ApprovalRequest;
      /** The request's key as the last decision named it. */
      readonly decidedAs: string;
    }
  | { readonly kind: 'denied'; readonly reason?: string }
  | { readonly kind: 'expired' }
  | { readonly kind: 'withdrawn' };
