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
 * nothing. Those that are under way when their request is settled or the run ends are cancelled; when it continues as new, its successor sends
 * them again under the same ids.
 */
export class Announcer {
  private readonly underWay = new CancellationScope();
  /** By requestKey. */
  private readonly scopes = new Map<string, CancellationScope>();

  constructor(private readonly run: Run) {}

  /** Announces a new request, and again when nobody has decided it in time. Call what it gives when it is settled. */
  begin(request: ApprovalRequest): () => void {
    this.announce('approval.requested', request);
    return this.untilSettled(request);
  }

  /** As `begin`, of a request that was made before the run continued as new: announces what had not arrived. */
  resume(request: ApprovalRequest): () => void {
    for (const one of this.run.state.announcing) {
      if (one.requestKey === request.requestKey) this.announceTo(one, request);
    }
    return this.untilSettled(request);
  }

  /** Gives up what is under way. */
  stop(): void {
    this.underWay.cancel();
  }

  /** Gives up, once it is settled, what has not arrived: nobody is to be asked for what is decided. */
  private untilSettled(request: ApprovalRequest): () => void {
    const noLongerEscalates =
      request.escalatedAt === undefined ? this.escalateInTime(request) : () => undefined;
    return () => {
      noLongerEscalates();
      this.scopeOf(request).cancel();
      this.scopes.delete(request.requestKey);
    };
  }

  private scopeOf({ requestKey }: ApprovalRequest): CancellationScope {
    const known = this.scopes.get(requestKey);
    if (known) return known;
    const made = new CancellationScope({ cancellable: true, parent: this.underWay });
    this.scopes.set(requestKey, made);
    return made;
  }

  private escalateInTime({ requestKey, requestedAt }: ApprovalRequest): () => void {
    const { escalateAfterMs } = this.run.manifest.approvals;
    if (escalateAfterMs === undefined) return () => undefined;
    const undecided = new CancellationScope();
    quietly(
      undecided.run(async () => {
        await sleep(Math.max(1, requestedAt + escalateAfterMs - Date.now()));
        this.escalate(requestKey);
      }),
    );
    return () => {
      undecided.cancel();
    };
  }

  private escalate(requestKey: string): void {
    // It may hold other arguments by now, or be settled in this very task.
    const request = this.run.state.pending.find((r) => r.requestKey === requestKey);
    if (!request) return;
    this.run.apply(escalated, requestKey, Date.now());
    this.announce('approval.escalated', request);
  }

  private announce(type: AnnouncementType, request: ApprovalRequest): void {
    const { requestKey } = request;
    for (const { name: webhook } of this.run.manifest.webhooks ?? []) {
      this.announceTo({ requestKey, type, webhook }, request);
    }
  }

  private announceTo(one: AnnouncementUnderWay, request: ApprovalRequest): void {
    const { manifest, agent, startedBy } = this.run;
    const webhook = manifest.webhooks?.find(({ name }) => name === one.webhook);
    if (!webhook) return;
    const { type } = one;
    const about = { type, at: Date.now(), agent, request, policy: manifest.approvals, startedBy };
    const announcement = announcementFor(webhook, about);
    this.run.apply(announcing, one);
    quietly(
      this.scopeOf(request).run(async () => {
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
