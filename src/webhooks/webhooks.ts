import { HoldfastError } from '../contract/error-codes.js';
import type { JsonObject } from '../contract/json.js';
import { LIMITS } from '../contract/limits.js';
import { compileSchema } from '../registry/schema-validator.js';

/** Who is told of new requests, and of those that nobody decides (`hitl:notify`). */
export interface Webhook {
  /** How a history names it: `^[A-Za-z0-9_-]{1,64}$`. Default `webhook-` and its place in the list, from 1. */
  readonly name?: string;
  /** http or https, without credentials. Redirects are not followed. A secret: neither logged nor recorded. */
  readonly url: string;
  /** As Standard Webhooks write it: `whsec_` and the base64 of 24 to 64 random bytes. Neither logged nor recorded. */
  readonly secret: string;
  /** Tell it the arguments of the call too. They then stand in the run's history once more. Default false. */
  readonly includeArguments?: boolean;
}

/** Only `checkedWebhooks` makes one. */
export type CheckedWebhook = Required<Webhook>;

const fault = compileSchema({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    webhooks: {
      type: 'array',
      maxItems: LIMITS.webhooks,
      items: {
        type: 'object',
        required: ['url', 'secret'],
        properties: {
          name: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
          url: { type: 'string', maxLength: 4096 },
          secret: { type: 'string', maxLength: 256 },
          includeArguments: { type: 'boolean' },
        },
        additionalProperties: false,
      },
    },
  },
});

/** Throws HoldfastError `invalid_config`, which says which webhook is wrong and never repeats a URL or a secret. */
export function checkedWebhooks(webhooks: unknown): readonly CheckedWebhook[] {
  const shape = fault({ webhooks });
  if (shape !== undefined || !isList(webhooks)) {
    throw invalid(`The list of webhooks does not fit. ${shape?.text ?? ''}`);
  }
  const checked = webhooks.map((webhook, index) => {
    const { name = `webhook-${index + 1}`, url, secret, includeArguments = false } = webhook;
    const wrong = urlFault(url) ?? secretFault(secret);
    if (wrong !== undefined) throw invalid(`The webhook ${name}: ${wrong}`);
    return { name, url, secret, includeArguments };
  });
  const twice = checked.find(({ name }, index) => checked.findIndex((w) => w.name === name) < index);
  if (twice) throw invalid(`Two webhooks have the name ${twice.name}. Give each its own.`);
  return checked;
}

/** By the schema, which was asked. */
function isList(value: unknown): value is readonly (JsonObject & Webhook)[] {
  return Array.isArray(value);
}

function urlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'its url must be an http or https URL.';
  if (url.username || url.password)
    return 'its url must not hold credentials; receivers know by the signature.';
  return undefined;
}

function secretFault(secret: string): string | undefined {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(base64, 'base64');
  // What is no base64 is decoded in part.
  if (key.toString('base64') === base64 && key.length >= 24 && key.length <= 64) return undefined;
  return 'its secret must be whsec_ and the base64 of 24 to 64 random bytes, such as of `openssl rand -base64 32`.';
}

function invalid(text: string): HoldfastError {
  return new HoldfastError('invalid_config', text);
}
