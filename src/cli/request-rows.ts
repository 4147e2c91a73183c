import type { ApprovalRequest } from '../contract/decision.js';
import { callNumber } from './call-number.js';
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
  return requests.map((request) => [
    callNumber(request.call),
    printableLine(request.tool, 24),
    request.riskLevel,
    printableLine(request.paths.map(({ relative }) => relative).join(', ') || '–', 40),
    `expires ${timeLeft(request.expiresAt - now)}`,
  ]);
}

function timeLeft(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 0) return 'now';
  if (minutes < 120) return `in ${String(minutes)} min`;
  return minutes < 48 * 60
    ? `in ${String(Math.floor(minutes / 60))} h`
    : `in ${String(Math.floor(minutes / 1440))} days`;
}
