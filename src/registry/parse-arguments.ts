import type { JsonObject } from '../contract/json.js';
import { LIMITS } from '../contract/limits.js';
import { readJsonObject, type ReadObject } from './read-json-object.js';

export type ParsedArguments =
  { readonly ok: true; readonly args: JsonObject } | { readonly ok: false; readonly text: string };

/**
 * Parses a call's argument text strictly (`schema:strict-json`): one complete JSON object, nothing repaired.
 * Empty text is `{}`. Size and depth are judged before parsing (`schema:bounded`). The text of a refusal says
 * what to do and holds no value. Never throws.
 */
export function parseArguments(text: string): ParsedArguments {
  if (/^[ \t\r\n]*$/.test(text)) return { ok: true, args: {} };
  return parseStrictly(text, 'The arguments', LIMITS.argumentBytes);
}

/** The same of another text of one JSON object, which must not be empty. `what` begins the text of a refusal. */
export function parseStrictly(text: string, what: string, mostBytes: number): ParsedArguments {
  const refuse = (fault: string): ParsedArguments => ({ ok: false, text: `${what} ${fault}.` });
  if (Buffer.byteLength(text) > mostBytes) {
    return refuse(`are larger than ${mostBytes} bytes. Send less at a time`);
  }
  const read = readJsonObject(text, LIMITS.jsonDepth);
  return read.ok ? { ok: true, args: read.value } : refuse(wordsFor(read));
}

function wordsFor(read: Extract<ReadObject, { ok: false }>): string {
  switch (read.fault) {
    case 'too_deep':
      return `are nested deeper than ${LIMITS.jsonDepth} levels. Send a flatter object`;
    case 'truncated':
      return 'are truncated: the JSON ends before it is complete. Send the whole object, or less at a time';
    case 'doubled':
      return 'go on after the end of the JSON object. Send exactly one JSON object';
    case 'not_json':
      return 'are not JSON. Send one JSON object';
    case 'no_object':
      return `must be a JSON object, but are ${read.type}. Send the object itself`;
    case 'lossy':
      return `cannot be taken as they are: ${read.loss}`;
  }
}
