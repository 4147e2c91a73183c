import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../contract/limits.js';
import type { JsonObject } from '../contract/json.js';
import { readJsonObject, type JsonFault } from '../registry/read-json-object.js';
import { ApiRefusal } from './problem.js';

const DETAILS: Readonly<Record<JsonFault, string>> = {
  too_deep: `The body is nested deeper than ${LIMITS.payloadDepth} levels. Send a flatter object.`,
  truncated: 'The body is truncated: the JSON ends before it is complete.',
  doubled: 'The body goes on after the end of the JSON object. Send exactly one.',
  not_json: 'The body is not JSON. Send one JSON object in UTF-8.',
  no_object: 'The body must be a JSON object.',
  lossy: 'The body cannot be taken as it is',
};

/** A body as strictly as a call's arguments (`schema:strict-json`): nothing is repaired or rounded. None is `{}`. */
export function parseBody(bytes: Buffer): JsonObject {
  if (bytes.length === 0) return {};
  const read = isUtf8(bytes)
    ? readJsonObject(bytes.toString('utf8'), LIMITS.payloadDepth)
    : ({ ok: false, fault: 'not_json' } as const);
  if (read.ok) return read.value;
  const detail = DETAILS[read.fault];
  if (read.fault !== 'lossy') throw new ApiRefusal('malformed_request', detail);
  const errors = [{ in: 'body', detail: `${read.loss}.` }] as const;
  throw new ApiRefusal('malformed_request', `${detail}: ${read.loss}.`, { errors });
}
