import { defineSearchAttributeKey } from '@temporalio/common';
import { upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import { EXHAUSTED_MEMO, PENDING_ATTRIBUTE, PENDING_MEMO } from '../src/contract/names.js';
import type { RunState } from '../src/contract/run.js';
import { pendingKeywords, pendingSummary } from '../src/policy/pending-summary.js';

const KEYWORDS = defineSearchAttributeKey(PENDING_ATTRIBUTE, 'KEYWORD_LIST');

/**
 * Puts what others read without waking the run where the server keeps it: a budget that is used up in the memo
 * (`events:stream`), what waits for people in memo and search attribute. Workers register the attribute before they
 * take a run.
 */
export function publish(before: RunState, after: RunState, listed: boolean): void {
  const { exhausted = null } = after;
  if (exhausted !== (before.exhausted ?? null)) upsertMemo({ [EXHAUSTED_MEMO]: exhausted });
  if (after.pending === before.pending || after.pending.length + before.pending.length === 0) return;
  upsertMemo({ [PENDING_MEMO]: pendingSummary(after.pending) });
  if (!listed) return;
  const keywords = pendingKeywords(after.pending);
  if (JSON.stringify(pendingKeywords(before.pending)) === JSON.stringify(keywords)) return;
  upsertSearchAttributes([{ key: KEYWORDS, value: keywords }]);
}
