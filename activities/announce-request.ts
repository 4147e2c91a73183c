import { Context } from '@temporalio/activity';
import type { AnnounceRequestInput } from '../src/contract/activities.js';
import type { Announcement, AnnouncementReceipt } from '../src/contract/announcement.js';
import { sha256 } from '../src/digest.js';
import { deliver } from '../src/webhooks/deliver.js';
import { WebhookFailure } from '../src/webhooks/webhook-failure.js';
import type { CheckedWebhook } from '../src/webhooks/webhooks.js';
import { asActivityFailure } from './failures.js';
import { heartbeating } from './heartbeating.js';

export interface AnnounceRequestDeps {
  readonly webhooks: readonly CheckedWebhook[];
  /** How long a receiver has for its answer, milliseconds. Default 10,000. */
  readonly webhookTimeoutMs?: number;
}

/**
 * Tells one webhook of one request (`hitl:notify`). The history names the webhook; where it is and what it signs with
 * is the worker's own. Failures are those of `asActivityFailure`.
 */
export function createAnnounceRequest({ webhooks, webhookTimeoutMs }: AnnounceRequestDeps) {
  return async function announceRequest(input: AnnounceRequestInput): Promise<AnnouncementReceipt> {
    const context = Context.current();
    try {
      const webhook = webhooks.find(({ name }) => name === input.webhook);
      if (!webhook) throw new WebhookFailure(UNKNOWN, true);
      return await heartbeating(context, () =>
        announce(webhook, input, context.cancellationSignal, webhookTimeoutMs),
      );
    } catch (error) {
      if (context.cancellationSignal.aborted) return context.cancelled;
      throw asActivityFailure(error);
    }
  };
}

/** Another worker of the agent may have it. */
const UNKNOWN =
  'This worker has no webhook of the recorded name. Give all workers of an agent the same ones.';

async function announce(
  webhook: CheckedWebhook,
  { announcement }: AnnounceRequestInput,
  signal: AbortSignal,
  timeoutMs: number | undefined,
): Promise<AnnouncementReceipt> {
  const webhookId = idOf(announcement);
  const body = JSON.stringify(bodyOf(announcement, webhook.includeArguments));
  return { webhookId, status: await deliver(webhook, { id: webhookId, body }, signal, timeoutMs) };
}

/** The same in every attempt and for every webhook. A key may hold what no header and no signature may. */
function idOf({ type, request }: Announcement): string {
  return `msg_${sha256(`${type}\n${request.requestKey}`).slice(0, 32)}`;
}

/** @param withArguments as the worker says today: what a run recorded only lets it (`risk:pinned`). */
function bodyOf({ type, at, request, ...others }: Announcement, withArguments: boolean) {
  const { args, ...told } = request;
  return {
    type,
    timestamp: new Date(at).toISOString(),
    data: { ...others, ...told, ...(withArguments && args && { args }) },
  };
}
