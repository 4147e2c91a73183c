import type { JsonValue } from '../contract/json.js';
import { canonicalJson } from '../digest.js';
import type { DialectRules } from './dialects.js';

/**
 * Replaces `const`, `enum` and `uniqueItems` by equality of canonical JSON. ajv's own compares through the
 * values' methods, which a member named `valueOf` breaks, takes two items "__proto__" for different ones, and
 * compares every item with every other one (`schema:own-properties`, `schema:bounded`).
 */
export function addEqualityKeywords(ajv: ReturnType<DialectRules['createAjv']>): void {
  for (const keyword of ['const', 'enum', 'uniqueItems']) ajv.removeKeyword(keyword);
  ajv.addKeyword({ keyword: 'const', compile: (allowed: JsonValue) => isOneOf([allowed]) });
  ajv.addKeyword({ keyword: 'enum', schemaType: 'array', compile: isOneOf });
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    compile: (unique: boolean) => (items: readonly JsonValue[]) =>
      !unique || new Set(items.map(canonicalJson)).size === items.length,
  });
}

function isOneOf(allowed: readonly JsonValue[]): (value: JsonValue) => boolean {
  const known = new Set(allowed.map(canonicalJson));
  return (value) => known.has(canonicalJson(value));
}
