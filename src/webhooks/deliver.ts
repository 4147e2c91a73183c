import { Webhook } from 'standardwebhooks';
import { WebhookFailure } from './webhook-failure.js';
import type { CheckedWebhook } from './webhooks.js';

/** How long a receiver has for its answer unless said otherwise, milliseconds. */
const TIMEOUT_MS = 10_000;

/** Receivers say by this that they want nothing more. */
const GONE = 410;

export interface Message {
  /** Of the header `webhook-id`. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/**
 * Sends a message once, signed as Standard Webhooks says, and gives the status of a receiver that took it. Throws
 * WebhookFailure: final for a redirect, which is not followed, and for 410; any other may pass. What a receiver
 * writes beside its status is not read. `signal` ends the waiting, and so does `timeoutMs`, by default 10,000.
 */
export async function deliver(
  { name, url, secret }: CheckedWebhook,
  { id, body }: Message,
  signal: AbortSignal,
  timeoutMs: number = TIMEOUT_MS,
): Promise<number> {
  const now = new Date();
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    headers: {
      'content-type': 'application/json',
      'user-agent': 'holdfast',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    },
    body,
  }).catch((error: unknown) => {
    throw new WebhookFailure(`The webhook ${name} was not reached: ${reasonOf(error, timeoutMs)}.`, true);
  });
  const { status, ok } = response;
  await response.body?.cancel().catch(() => undefined);
  if (ok) return status;
  if (status >= 300 && status < 400) {
    throw new WebhookFailure(`The webhook ${name} answered with a redirect, which is not followed.`, false);
  }
  throw new WebhookFailure(`The webhook ${name} answered ${status}.`, status !== GONE);
}

/** A code alone: the messages name hosts. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'no connection';
}
