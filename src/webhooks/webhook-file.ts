import { readFile } from 'node:fs/promises';
import { HoldfastError } from '../contract/error-codes.js';
import { checkedWebhooks, type CheckedWebhook } from './webhooks.js';

/**
 * The webhooks of a JSON file, which holds a list of `Webhook`. Throws HoldfastError `invalid_config` for a file that
 * cannot be read, is no JSON or holds anything else; neither its name nor its contents are told.
 */
export async function readWebhooks(file: string): Promise<readonly CheckedWebhook[]> {
  return checkedWebhooks(parse(await contents(file)));
}

async function contents(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw unreadable('cannot be read: correct its name or its permissions');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the file.
    throw unreadable('is no JSON: write [{ "url": ..., "secret": ... }]');
  }
}

function unreadable(fault: string): HoldfastError {
  return new HoldfastError('invalid_config', `The file of webhooks ${fault}.`);
}
