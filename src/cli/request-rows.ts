import type { ApprovalRequest } from '../contract/decision.js';
import type { SummarisedRequest } from '../contract/inbox.js';
import { callNumber } from '../runs/call-number.js';
import { printableLine } from './printable.js';

/**
 * Requests in short, as rows for `columns`, without arguments: call, tool, risk, paths, time left.
 *
 * @param now milliseconds since the epoch.
 */
export function requestRows(
  requests: readonly ApprovalRequest[],
  now: number,
): readonly (readonly string[])[] {
  return requests.map((request) => {
    const { quorum = 1, approvals = [] } = request;
    return [
      ...namesOf(request),
      printableLine(request.paths.map(({ relative }) => relative).join(', ') || '–', 40),
      ...restOf({ ...request, quorum, approved: approvals.length }, now),
    ];
  });
}

/** The same of what an inbox knows: without paths. */
export function summaryRows(
  requests: readonly SummarisedRequest[],
  now: number,
): readonly (readonly string[])[] {
  return requests.map((request) => [...namesOf(request), ...restOf(request, now)]);
}

type Named = Pick<SummarisedRequest, 'call' | 'tool' | 'riskLevel'>;

function namesOf({ call, tool, riskLevel }: Named): readonly string[] {
  return [callNumber(call), printableLine(tool, 24), riskLevel];
}

function restOf(
  { expiresAt, quorum = 1, approved = 0 }: Pick<SummarisedRequest, 'expiresAt' | 'quorum' | 'approved'>,
  now: number,
): readonly string[] {
  const expires = `expires ${timeLeft(expiresAt - now)}`;
  return quorum > 1 ? [expires, `${String(approved)} of ${String(quorum)} approvals`] : [expires];
}

/** A long time as people say it, such as `90 min`, `24 h` or `3 days`. */
export function inWhole(minutes: number): string {
  if (minutes < 120) return `${String(minutes)} min`;
  return minutes < 48 * 60
    ? `${String(Math.floor(minutes / 60))} h`
    : `${String(Math.floor(minutes / 1440))} days`;
}

function timeLeft(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes <= 0 ? 'now' : `in ${inWhole(minutes)}`;
}
