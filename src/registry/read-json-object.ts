import { isJsonObject, type JsonObject } from '../contract/json.js';
import { outlineOf } from './json-outline.js';
import { lossIn } from './json-losses.js';
import { jsonTypeOf, type JsonType } from './json-type.js';

export type JsonFault = 'too_deep' | 'truncated' | 'doubled' | 'not_json' | 'no_object' | 'lossy';

export type ReadObject =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly fault: Exclude<JsonFault, 'no_object' | 'lossy'> }
  | { readonly ok: false; readonly fault: 'no_object'; readonly type: JsonType }
  /** `loss` begins with the place and says what to do. */
  | { readonly ok: false; readonly fault: 'lossy'; readonly loss: string };

/**
 * Reads one complete JSON object strictly (`schema:strict-json`): nothing is repaired, and nothing that JSON.parse
 * would drop or round without a word is taken. Depth is judged before parsing (`schema:bounded`). Never throws.
 */
export function readJsonObject(text: string, mostDepth: number): ReadObject {
  const outline = outlineOf(text, mostDepth);
  if (outline !== 'plausible') return { ok: false, fault: outline };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, fault: 'not_json' };
  }
  if (!isJsonObject(value)) return { ok: false, fault: 'no_object', type: jsonTypeOf(value) };
  const loss = lossIn(text);
  return loss === undefined ? { ok: true, value } : { ok: false, fault: 'lossy', loss };
}
