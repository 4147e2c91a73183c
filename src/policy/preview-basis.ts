import type { ApprovalRequest } from '../contract/decision.js';
import type { ShownPreview } from '../contract/preview.js';

/** What a shown preview rests on; undefined for none, and for one that failed (`hitl:preview`). */
export function basisOf(preview: ShownPreview | undefined): string | undefined {
  return preview === undefined || preview.kind === 'failed' ? undefined : preview.basis;
}

/** What the execution of a request, as it stands, will be compared with; undefined when with nothing. */
export function basisToHold({
  edited,
  preview,
}: Pick<ApprovalRequest, 'edited' | 'preview'>): string | undefined {
  return edited ? edited.basis : basisOf(preview);
}
