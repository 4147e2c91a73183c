import { readFile } from 'node:fs/promises';
import { HoldfastError } from './contract/error-codes.js';
import type { JsonValue } from './contract/json.js';
import { isOpenToOthers, othersMayWrite } from './private-file.js';

export interface JsonFile {
  /** What the file is, for messages: neither its name nor its contents are told. */
  readonly what: string;
  /** What to do about one that is no JSON. */
  readonly hint: string;
  /** It says who is let in: refused when others than its owner may change it. Default false. */
  readonly guarded?: boolean;
  /** It holds secrets: refused when others than its owner may read or change it. Default false. */
  readonly secret?: boolean;
}

/** What a JSON file of the configuration holds. Throws HoldfastError `invalid_config` for one that cannot be used. */
export async function readJsonFile(
  file: string,
  { what, hint, guarded = false, secret = false }: JsonFile,
): Promise<JsonValue> {
  const invalid = (fault: string) => new HoldfastError('invalid_config', `The ${what} ${fault}.`);
  const [text, written, open] = await Promise.all([
    readFile(file, 'utf8'),
    guarded && othersMayWrite(file),
    secret && isOpenToOthers(file),
  ]).catch(() => {
    throw invalid('cannot be read: correct its name or its permissions');
  });
  if (open) {
    throw invalid('is open to others than its owner: make it mode 0600, and new secrets if they were read');
  }
  if (written) throw invalid('may be changed by others than its owner: make it mode 0644 or 0600');
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse makes nothing else
    return JSON.parse(text) as JsonValue;
  } catch {
    // The parser's own words quote the file.
    throw invalid(`is no JSON: ${hint}`);
  }
}
