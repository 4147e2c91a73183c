import { readFile, stat } from 'node:fs/promises';
import { HoldfastError } from '../contract/error-codes.js';
import type { JsonValue } from '../contract/json.js';

/**
 * What a JSON file holds that says who is let in. Throws HoldfastError `invalid_config` for one that others than its
 * owner may change, that cannot be read, or that is no JSON; neither its name nor its contents are told.
 */
export async function readGuardedJson(file: string, what: string): Promise<JsonValue> {
  const invalid = (fault: string) => new HoldfastError('invalid_config', `The ${what} ${fault}.`);
  const [text, mode] = await Promise.all([
    readFile(file, 'utf8'),
    stat(file).then((found) => found.mode),
  ]).catch(() => {
    throw invalid('cannot be read: correct its name or its permissions');
  });
  if ((mode & 0o022) !== 0)
    throw invalid('may be changed by others than its owner: make it mode 0644 or 0600');
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse makes nothing else
    return JSON.parse(text) as JsonValue;
  } catch {
    // The parser's own words quote the file.
    throw invalid('is no JSON: README shows one');
  }
}
