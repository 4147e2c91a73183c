import { CancellationScope, sleep } from '@temporalio/workflow';
import type { AnnounceRequestInput } from '../src/contract/activities.js';
import type { AnnouncementType } from '../src/contract/announcement.js';
import type { ApprovalRequest } from '../src/contract/decision.js';
import { jsonBytes } from '../src/contract/json.js';
import { announcementFor } from '../src/policy/announcement.js';
import { announcingActivities } from './activities.js';
import type { AnnouncementUnderWay } from '../src/contract/run.js';
import { announced, announcing, escalated } from './run-state.js';
import type { Run } from './run.js';

/**
 * Tells webhooks of requests (`hitl:notify`, `hitl:escalate`). Nothing waits for it: a request is made, decided and
 * expires whatever becomes of its announcements, and one that fails for good stands in the history and changes
 * nothing. Those that are under way when their request is settled or the run ends are cancelled; when it continues
 * as new, its successor sends them again under the same ids.
 */
export class Announcer {
  private readonly underWay = new CancellationScope();

  constructor(private readonly run: Run) {}

  /** Announces a new request, and again when nobody has decided it in time. Call what it gives when it is settled. */
  begin(request: ApprovalRequest): () => void {
    const waiting = this.scopeOfRequest();
    this.announce('approval.requested', request, waiting);
    return this.untilSettled(request, waiting);
  }

  /** As `begin`, of a request that was made before the run continued as new: announces what had not arrived. */
  resume(request: ApprovalRequest): () => void {
    const waiting = this.scopeOfRequest();
    for (const one of this.run.state.announcing) {
      if (one.requestKey === request.requestKey) this.announceTo(one, request, waiting);
    }
    return this.untilSettled(request, waiting);
  }

  /** Gives up what is under way. */
  stop(): void {
    this.underWay.cancel();
  }

  /** Gives up, once it is settled, what has not arrived: nobody is to be asked for what is decided. */
  private untilSettled(request: ApprovalRequest, waiting: CancellationScope): () => void {
    const noLongerEscalates = this.escalateInTime(request, waiting);
    return () => {
      noLongerEscalates();
      waiting.cancel();
    };
  }

  /** In which all announcements of one request are sent. */
  private scopeOfRequest(): CancellationScope {
    return new CancellationScope({ cancellable: true, parent: this.underWay });
  }

  private escalateInTime(
    { requestKey, requestedAt, escalatedAt }: ApprovalRequest,
    waiting: CancellationScope,
  ): () => void {
    const { escalateAfterMs } = this.run.manifest.approvals;
    if (escalateAfterMs === undefined || escalatedAt !== undefined) return () => undefined;
    const undecided = new CancellationScope();
    quietly(
      undecided.run(async () => {
        await sleep(Math.max(1, requestedAt + escalateAfterMs - Date.now()));
        this.escalate(requestKey, waiting);
      }),
    );
    return () => {
      undecided.cancel();
    };
  }

  private escalate(requestKey: string, waiting: CancellationScope): void {
    // It may hold other arguments by now, or be settled in this very task.
    const request = this.run.state.pending.find((r) => r.requestKey === requestKey);
    if (!request) return;
    this.run.apply(escalated, requestKey, Date.now());
    this.announce('approval.escalated', request, waiting);
  }

  private announce(type: AnnouncementType, request: ApprovalRequest, waiting: CancellationScope): void {
    const { requestKey } = request;
    for (const { name: webhook } of this.run.manifest.webhooks ?? []) {
      this.announceTo({ requestKey, type, webhook }, request, waiting);
    }
  }

  private announceTo(one: AnnouncementUnderWay, request: ApprovalRequest, waiting: CancellationScope): void {
    const { manifest, agent, startedBy } = this.run;
    const webhook = manifest.webhooks?.find(({ name }) => name === one.webhook);
    if (!webhook) return;
    const { type } = one;
    const about = { type, at: Date.now(), agent, request, policy: manifest.approvals, startedBy };
    const announcement = announcementFor(webhook, about);
    this.run.apply(announcing, one);
    quietly(
      waiting.run(async () => {
        try {
          await this.send({ webhook: webhook.name, announcement });
        } finally {
          this.run.apply(announced, one);
        }
      }),
    );
  }

  private async send(input: AnnounceRequestInput): Promise<void> {
    await this.run.room.take(jsonBytes(input));
    const left = input.announcement.request.expiresAt - Date.now();
    // Settled while it waited for room: there is nothing to ask any more.
    if (left <= 0) return;
    await announcingActivities(left).announceRequest(input);
  }
}

/** The history holds what failed. */
function quietly(step: Promise<void>): void {
  step.catch(() => undefined);
}
