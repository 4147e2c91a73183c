import { isJsonObject } from '../contract/json.js';

/**
 * What a provider asked to wait, milliseconds from `now`: `retry-after-ms`, else `retry-after` in seconds or
 * as a date (RFC 9110, 10.2.3). Undefined when it asked for nothing, or for nothing that can be read.
 */
export function retryAfterMs(headers: unknown, now: number): number | undefined {
  if (!isJsonObject(headers)) return undefined;
  const wait =
    numberIn(headers['retry-after-ms'], 1) ??
    numberIn(headers['retry-after'], 1000) ??
    untilDate(headers['retry-after'], now);
  return wait !== undefined && wait > 0 ? Math.ceil(wait) : undefined;
}

function numberIn(header: unknown, factor: number): number | undefined {
  if (typeof header !== 'string' || !/^\d{1,9}(?:\.\d{1,9})?$/.test(header.trim())) return undefined;
  return Number(header) * factor;
}

function untilDate(header: unknown, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : date - now;
}
