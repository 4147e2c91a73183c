import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { EventFold } from '../../src/audit/event-fold.js';
import { timelineOf } from '../../src/audit/timeline.js';
import { decisionFor } from '../../src/client.js';
import type { Webhook } from '../../src/webhooks/webhooks.js';
import { withAgent, type TestAgent } from '../harness/agent.js';
import { attempts, recordedManifest, scheduled, textsOf, type History } from '../harness/history.js';
import { effectTool } from '../harness/tools.js';
import { withReceiver, type Received } from '../harness/webhook-receiver.js';

const LINE = 'what-nobody-else-is-told';
const approve = { decision: 'approve', approver: 'ada' } as const;
const hang = (): void => undefined;

/** One gated call, then the end. */
function asking(...webhooks: readonly Webhook[]) {
  return {
    customTools: [effectTool('effect', 'mutation')],
    script: [{ calls: [{ tool: 'effect', args: { line: LINE } }] }, { text: 'done' }],
    webhooks,
  };
}

/** By the rules of Standard Webhooks, without its library. */
function isSigned({ headers, body }: Received, { secret }: Webhook): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const mac = createHmac('sha256', key)
    .update(`${String(id)}.${String(at)}.${body}`)
    .digest('base64');
  return signature === `v1,${mac}`;
}

const messageIn = ({ body }: Received) =>
  JSON.parse(body) as { type: string; timestamp: string; data: Record<string, unknown> };

const eventsOf = (history: History) => {
  const fold = new EventFold();
  return (history.events ?? []).flatMap((event) => fold.add(event));
};

/** Waits until an announcement of the run has ended. */
function ended(agent: TestAgent, runId: string): Promise<unknown> {
  return vi.waitUntil(
    async () =>
      timelineOf((await agent.history(runId)).events ?? []).announcements.some(({ ended }) => ended),
    { timeout: 30_000, interval: 100 },
  );
}

const cancelRequests = (history: History) =>
  (history.events ?? []).filter((event) => event.activityTaskCancelRequestedEventAttributes);

describe('a new request', () => {
  it('is announced to the webhook, signed and without arguments; neither URL nor secret is in the history [hitl:notify] [events:no-args] [secure:secrets]', async () => {
    await withReceiver(async ({ webhook, got }) => {
      await withAgent(asking(webhook), async (agent) => {
        const runId = await agent.start();
        const request = await agent.request(runId);
        const [message] = await got(1);
        if (!message) throw new Error('nothing received');
        expect(isSigned(message, webhook)).toBe(true);
        expect(message.headers['content-type']).toBe('application/json');
        expect(message.headers['webhook-id']).toMatch(/^msg_[0-9a-f]{32}$/);
        const { requestKey, argsDigest, schemaDigest, call, requestedAt, expiresAt } = request;
        expect(messageIn(message)).toEqual({
          type: 'approval.requested',
          timestamp: new Date(requestedAt).toISOString(),
          data: {
            agent: agent.name,
            runId,
            requestKey,
            call,
            tool: 'effect',
            riskLevel: 'mutation',
            argsDigest,
            schemaDigest,
            requestedAt,
            expiresAt,
          },
        });
        await agent.client.decide(runId, decisionFor(request, approve));
        await agent.client.result(runId);
        const history = await agent.history(runId);
        const announcements = scheduled(history, 'announceRequest');
        expect(announcements).toHaveLength(1);
        expect(JSON.stringify(announcements)).not.toContain(LINE);
        expect(recordedManifest(history).manifest.webhooks).toEqual([{ name: 'ops' }]);
        const texts = textsOf(history).join('\n');
        expect(texts).not.toContain(webhook.secret);
        expect(texts).not.toContain('hook-of-the-team');
        expect(eventsOf(history)).toContainEqual(
          expect.objectContaining({
            type: 'approval_announced',
            announcement: 'approval.requested',
            webhook: 'ops',
            delivered: true,
            attempts: 1,
          }),
        );
      });
    });
  });

  it('is announced with its arguments to a webhook that is configured so, and to no other [hitl:notify]', async () => {
    await withReceiver(async ({ webhook, got }) => {
      const webhooks = [
        { ...webhook, name: 'plain' },
        { ...webhook, name: 'whole', includeArguments: true },
      ];
      await withAgent(asking(...webhooks), async (agent) => {
        const runId = await agent.start();
        const told = (await got(2)).map((message) => messageIn(message).data.args);
        expect(told).toHaveLength(2);
        expect(told).toContainEqual({ line: LINE });
        expect(told).toContain(undefined);
        const inputs = scheduled(await agent.history(runId), 'announceRequest').map(({ input }) =>
          JSON.stringify(input).includes(LINE),
        );
        expect(inputs).toEqual([false, true]);
        await agent.client.cancel(runId);
      });
    });
  });

  it('is announced by nothing and nobody when no webhook is configured [hitl:notify]', async () => {
    await withAgent(asking(), async (agent) => {
      const runId = await agent.start();
      await agent.client.decide(runId, decisionFor(await agent.request(runId), approve));
      await agent.client.result(runId);
      const history = await agent.history(runId);
      expect(scheduled(history, 'announceRequest')).toEqual([]);
      expect(recordedManifest(history).manifest).not.toHaveProperty('webhooks');
    });
  });

  it('is announced again under the same webhook-id while the receiver fails [hitl:notify]', async () => {
    await withReceiver(
      async ({ webhook, got }) => {
        await withAgent(asking(webhook), async (agent) => {
          const runId = await agent.start();
          const messages = await got(2);
          expect(messages.map((message) => isSigned(message, webhook))).toEqual([true, true]);
          expect(messages[1]?.headers['webhook-id']).toBe(messages[0]?.headers['webhook-id']);
          expect(messages[1]?.body).toBe(messages[0]?.body);
          await ended(agent, runId);
          await agent.client.decide(runId, decisionFor(await agent.request(runId), approve));
          await agent.client.result(runId);
          expect(attempts(await agent.history(runId), 'announceRequest')).toEqual([2]);
        });
      },
      (response, place) => response.writeHead(place === 0 ? 500 : 200).end(),
    );
  });

  it.each([
    ['answers 410', 410],
    ['sends elsewhere, whither nothing is sent', 307],
  ])('waits all the same when its webhook %s: that is recorded [hitl:notify]', async (_how, status) => {
    await withReceiver(
      async ({ webhook, received }) => {
        await withAgent(asking(webhook), async (agent) => {
          const runId = await agent.start();
          const request = await agent.request(runId);
          await ended(agent, runId);
          expect(await agent.client.decide(runId, decisionFor(request, approve))).toMatchObject({
            counted: true,
          });
          expect(await agent.client.result(runId)).toMatchObject({ status: 'done' });
          expect(received.map(({ path }) => path)).toEqual(['/hook-of-the-team']);
          const history = await agent.history(runId);
          const [failed] = (history.events ?? []).flatMap(
            (event) => event.activityTaskFailedEventAttributes?.failure ?? [],
          );
          expect(failed?.applicationFailureInfo?.type).toBe('holdfast.webhook_failed');
          expect(failed?.message).toMatch(/^The webhook ops answered /);
          expect(textsOf(history).join('\n')).not.toContain('hook-of-the-team');
          expect(timelineOf(history.events ?? []).announcements).toMatchObject([
            { webhook: 'ops', delivered: false },
          ]);
          expect(eventsOf(history)).toContainEqual(
            expect.objectContaining({ type: 'approval_announced', delivered: false }),
          );
        });
      },
      (response) => response.writeHead(status, { location: '/elsewhere' }).end(),
    );
  });
});

describe('a webhook that does not answer', () => {
  it('holds up neither the request nor the decision nor the end of the run, which cancels it [hitl:notify]', async () => {
    await withReceiver(async ({ webhook, got }) => {
      await withAgent(asking(webhook), async (agent) => {
        const runId = await agent.start();
        await got(1);
        const request = await agent.request(runId);
        await agent.client.decide(runId, decisionFor(request, approve));
        expect(await agent.client.result(runId)).toMatchObject({ status: 'done' });
        const history = await agent.history(runId);
        expect(scheduled(history, 'executeTool')).toHaveLength(1);
        expect(cancelRequests(history)).toHaveLength(1);
        expect(eventsOf(history).map(({ type }) => type)).not.toContain('approval_announced');
      });
    }, hang);
  });

  it('is given up once its request is decided: nobody is asked any more for what is settled [hitl:notify]', async () => {
    await withReceiver(async ({ webhook, got }) => {
      const calls = ['one', 'two'].map((line) => ({ tool: 'effect', args: { line } }));
      await withAgent({ ...asking(webhook), script: [{ calls }, { text: 'done' }] }, async (agent) => {
        const runId = await agent.start();
        await got(2);
        const request = await agent.request(runId);
        await agent.client.decide(runId, decisionFor(request, approve));
        await vi.waitFor(
          async () => {
            expect(await agent.client.pending(runId)).toHaveLength(1);
            expect(cancelRequests(await agent.history(runId))).toHaveLength(1);
          },
          { timeout: 30_000, interval: 100 },
        );
        await agent.client.cancel(runId);
        await expect(agent.client.result(runId)).rejects.toThrow('cancelled');
      });
    }, hang);
  });

  it('holds up neither the expiry of the request nor the cancellation of the run [hitl:notify] [hitl:expire] [run:control]', async () => {
    await withReceiver(async ({ webhook }) => {
      await withAgent({ ...asking(webhook), approvalTimeoutMs: 1_000 }, async (agent) => {
        const runId = await agent.start();
        expect(await agent.client.result(runId)).toMatchObject({ budget: { consecutiveDenials: 1 } });
      });
    }, hang);
    await withReceiver(async ({ webhook, got }) => {
      await withAgent(asking(webhook), async (agent) => {
        const runId = await agent.start();
        await got(1);
        await agent.client.cancel(runId);
        await expect(agent.client.result(runId)).rejects.toThrow('cancelled');
        expect(cancelRequests(await agent.history(runId))).toHaveLength(1);
      });
    }, hang);
  });

  it('does not keep the run from continuing as new [hitl:notify] [run:continue-as-new]', async () => {
    await withReceiver(async ({ webhook, got }) => {
      await withAgent({ ...asking(webhook), continueAfterEvents: 1 }, async (agent) => {
        const runId = await agent.start();
        await got(1);
        await agent.client.decide(runId, decisionFor(await agent.request(runId), approve));
        expect(await agent.client.result(runId)).toMatchObject({ status: 'done' });
        const histories = await agent.histories(runId);
        const announced = histories.flatMap((history) => scheduled(history, 'announceRequest'));
        expect(announced.length).toBeGreaterThan(0);
        expect(histories.flatMap(cancelRequests)).toHaveLength(announced.length);
        const last = histories.at(-1);
        expect(last && scheduled(last, 'announceRequest')).toEqual([]);
      });
    }, hang);
  });
});

describe('a request that nobody decides in time', () => {
  const approvals = {
    groups: { leads: ['bob', 'eve'] },
    rules: [{ approvers: ['ada', 'bob'] }],
    escalateTo: { groups: ['leads'] },
  };

  it('is announced again, to the next approvers who may decide; escalating gives nobody a right [hitl:escalate] [hitl:authz]', async () => {
    await withReceiver(async ({ webhook, got }) => {
      const options = { ...asking(webhook), approvals: { ...approvals, escalateAfterMs: 300 } };
      await withAgent(options, async (agent) => {
        const runId = await agent.start();
        const messages = await got(2);
        const [first, second] = messages.map(messageIn);
        expect(first).toMatchObject({ type: 'approval.requested', data: { approvers: ['ada', 'bob'] } });
        expect(second).toMatchObject({
          type: 'approval.escalated',
          data: { approvers: ['bob'], requestKey: first?.data.requestKey },
        });
        expect(messages[1]?.headers['webhook-id']).not.toBe(messages[0]?.headers['webhook-id']);
        const request = await agent.request(runId);
        expect(request.escalatedAt).toBeGreaterThanOrEqual(request.requestedAt + 300);
        const decide = (approver: string) =>
          agent.client.decide(runId, decisionFor(request, { decision: 'approve', approver }));
        expect(await decide('eve')).toMatchObject({ counted: false, code: 'not_authorized' });
        expect(await decide('bob')).toMatchObject({ counted: true });
        await agent.client.result(runId);
        const history = await agent.history(runId);
        expect(scheduled(history, 'announceRequest')).toHaveLength(2);
        expect(eventsOf(history).filter(({ type }) => type === 'approval_escalated')).toHaveLength(1);
      });
    });
  });

  it('is shown as escalated where no webhook is, and one that was decided before is not [hitl:escalate]', async () => {
    const options = { ...asking(), approvals: { ...approvals, escalateAfterMs: 1_000 } };
    await withAgent(options, async (agent) => {
      const [late, early] = [await agent.start(), await agent.start()];
      await agent.client.decide(early, decisionFor(await agent.request(early), approve));
      await agent.client.result(early);
      const history = await agent.history(early);
      expect(history.events?.filter((event) => event.timerFiredEventAttributes)).toEqual([]);
      expect(history.events?.filter((event) => event.timerCanceledEventAttributes)).toHaveLength(2);
      await vi.waitUntil(async () => (await agent.request(late)).escalatedAt, {
        timeout: 30_000,
        interval: 100,
      });
      await agent.client.cancel(late);
    });
  });
});
