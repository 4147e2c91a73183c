import { readJsonFile } from '../read-json-file.js';
import { checkedWebhooks, type CheckedWebhook } from './webhooks.js';

/**
 * The webhooks of a JSON file, which holds a list of `Webhook`. Throws HoldfastError `invalid_config` for a file that
 * others than its owner may read, that cannot be read, is no JSON or holds anything else; neither its name nor its contents are told.
 */
export async function readWebhooks(file: string): Promise<readonly CheckedWebhook[]> {
  const hint = 'write [{ "url": ..., "secret": ... }]';
  return checkedWebhooks(await readJsonFile(file, { what: 'file of webhooks', hint, secret: true }));
}
