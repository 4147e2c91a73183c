import { isJsonObject, type JsonObject } from '../contract/json.js';
import { LIMITS } from '../contract/limits.js';
import { outlineOf } from './json-outline.js';
import { lossIn } from './json-losses.js';
import { jsonTypeOf } from './json-type.js';

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
  const implausible = outlineFault(text, mostBytes);
  if (implausible !== undefined) return refuse(implausible);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('are not JSON. Send one JSON object');
  }
  if (!isJsonObject(value))
    return refuse(`must be a JSON object, but are ${jsonTypeOf(value)}. Send the object itself`);
  const loss = lossIn(text);
  return loss === undefined ? { ok: true, args: value } : refuse(`cannot be taken as they are: ${loss}`);
}

/** What can be told before the text is parsed. */
function outlineFault(text: string, mostBytes: number): string | undefined {
  if (Buffer.byteLength(text) > mostBytes) return `are larger than ${mostBytes} bytes. Send less at a time`;
  switch (outlineOf(text, LIMITS.jsonDepth)) {
    case 'too_deep':
      return `are nested deeper than ${LIMITS.jsonDepth} levels. Send a flatter object`;
    case 'truncated':
      return 'are truncated: the JSON ends before it is complete. Send the whole object, or less at a time';
    case 'doubled':
      return 'go on after the end of the JSON object. Send exactly one JSON object';
    case 'plausible':
      return undefined;
  }
}
