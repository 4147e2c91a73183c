import { MockActivityEnvironment } from '@temporalio/testing';
import { CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { createAnnounceRequest, type AnnounceRequestDeps } from '../../activities/announce-request.js';
import type { AnnounceRequestInput } from '../../src/contract/activities.js';
import type { AnnouncementReceipt } from '../../src/contract/announcement.js';
import { checkedWebhooks, type Webhook } from '../../src/webhooks/webhooks.js';
import { withReceiver } from '../harness/webhook-receiver.js';

const REQUEST = {
  requestKey: 'run.\n:0:0:nonce:execution',
  runId: 'run.\n',
  call: { turn: 0, index: 0 },
  tool: 'effect',
  riskLevel: 'mutation',
  argsDigest: 'a'.repeat(64),
  schemaDigest: 'b'.repeat(64),
  requestedAt: 1,
  expiresAt: 2,
  args: { line: 'canary' },
} as const;

function inputOf(webhook = 'ops'): AnnounceRequestInput {
  return { webhook, announcement: { type: 'approval.requested', at: 1, agent: 'clerk', request: REQUEST } };
}

function announce(
  webhooks: readonly Webhook[],
  input = inputOf(),
  env = new MockActivityEnvironment(),
  more: Pick<AnnounceRequestDeps, 'webhookTimeoutMs'> = {},
): Promise<AnnouncementReceipt> {
  return env.run(createAnnounceRequest({ webhooks: checkedWebhooks(webhooks), ...more }), input);
}

describe('announceRequest', () => {
  it('keeps arguments back that the run recorded when its worker does not include them now [hitl:notify] [risk:pinned]', async () => {
    await withReceiver(async ({ webhook, received }) => {
      const receipt = await announce([webhook]);
      expect(receipt).toEqual({ webhookId: received[0]?.headers['webhook-id'], status: 204 });
      expect(received[0]?.body).not.toContain('canary');
      await announce([{ ...webhook, includeArguments: true }]);
      expect(received[1]?.body).toContain('canary');
    });
  });

  it('gives a receiver up that does not answer in its time, to be tried again [hitl:notify]', async () => {
    await withReceiver(
      async ({ webhook, got }) => {
        const told = announce([webhook], inputOf(), new MockActivityEnvironment(), { webhookTimeoutMs: 500 });
        await expect(told).rejects.toMatchObject({
          type: 'holdfast.webhook_failed',
          nonRetryable: false,
          message: 'The webhook ops was not reached: no answer within 0.5 s.',
        });
        // It has the message: nothing but the answer was missing.
        expect(await got(1)).toMatchObject([{ headers: { 'user-agent': 'holdfast' } }]);
      },
      () => undefined,
    );
  });

  it.each([
    [500, false],
    [404, false],
    [429, false],
    [410, true],
    [302, true],
  ])('fails for an answer of %i, for good: %s [hitl:notify]', async (status, nonRetryable) => {
    await withReceiver(
      async ({ webhook, received }) => {
        await expect(announce([webhook])).rejects.toMatchObject({
          type: 'holdfast.webhook_failed',
          nonRetryable,
        });
        expect(received).toHaveLength(1);
      },
      (response) => response.writeHead(status, { location: '/' }).end('canary'),
    );
  });

  it('does not read what a receiver writes without an end [hitl:notify]', async () => {
    await withReceiver(
      async ({ webhook }) => {
        expect(await announce([webhook])).toMatchObject({ status: 200 });
      },
      (response) => {
        response.writeHead(200);
        const more = (): void => {
          while (response.write('x'.repeat(65_536)));
          response.once('drain', more);
        };
        more();
      },
    );
  });

  it('says that nobody listens without saying where [hitl:notify] [secure:secrets]', async () => {
    let closed: Webhook | undefined;
    await withReceiver(({ webhook }) => {
      closed = webhook;
      return Promise.resolve();
    });
    if (!closed) throw new Error('no receiver');
    await expect(announce([closed])).rejects.toMatchObject({
      message: 'The webhook ops was not reached: ECONNREFUSED.',
      nonRetryable: false,
    });
  });

  it('is tried again elsewhere when this worker has no such webhook [hitl:notify]', async () => {
    await expect(announce([], inputOf('gone'))).rejects.toMatchObject({
      type: 'holdfast.webhook_failed',
      nonRetryable: false,
    });
  });

  it('stops waiting when it is cancelled [hitl:notify]', async () => {
    await withReceiver(
      async ({ webhook, got }) => {
        const env = new MockActivityEnvironment();
        const announcing = announce([webhook], inputOf(), env).catch((error: unknown) => error);
        await got(1);
        env.cancel();
        expect(await announcing).toBeInstanceOf(CancelledFailure);
      },
      () => undefined,
    );
  });
});
