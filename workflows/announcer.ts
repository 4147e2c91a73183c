import { CancellationScope, sleep } from '@temporalio/workflow';
import type { AnnounceRequestInput } from '../src/contract/activities.js';
import type { AnnouncementType } from '../src/contract/announcement.js';
import type { ApprovalRequest } from '../src/contract/decision.js';
import { jsonBytes } from '../src/contract/json.js';
import { announcementFor } from '../src/policy/announcement.js';
import { announcingActivities } from './activities.js';
import { escalated } from './run-state.js';
import type { Run } from './run.js';

/**
 * Tells webhooks of requests (`hitl:notify`, `hitl:escalate`). Nothing waits for it: a request is made, decided and
 * expires whatever becomes of its announcements, and one that fails for good stands in the history and changes
 * nothing. Those that are under way when the run ends, or continues as new, are cancelled.
 */
export class Announcer {
  private readonly underWay = new CancellationScope();

  constructor(private readonly run: Run) {}

  /** Announces a new request, and again when nobody has decided it in time. Call what it gives when it is settled. */
  begin(request: ApprovalRequest): () => void {
    this.announce('approval.requested', request);
    const { escalateAfterMs } = this.run.manifest.approvals;
    if (escalateAfterMs === undefined) return () => undefined;
    const undecided = new CancellationScope();
    quietly(
      undecided.run(async () => {
        await sleep(escalateAfterMs);
        this.escalate(request.requestKey);
      }),
    );
    return () => {
      undecided.cancel();
    };
  }

  /** Gives up what is under way. */
  stop(): void {
    this.underWay.cancel();
  }

  private escalate(requestKey: string): void {
    // It may hold other arguments by now, or be settled in this very task.
    const request = this.run.state.pending.find((r) => r.requestKey === requestKey);
    if (!request) return;
    this.run.apply(escalated, requestKey, Date.now());
    this.announce('approval.escalated', request);
  }

  private announce(type: AnnouncementType, request: ApprovalRequest): void {
    const { manifest, agent, startedBy } = this.run;
    const announced = { type, at: Date.now(), agent, request, policy: manifest.approvals, startedBy };
    for (const webhook of manifest.webhooks ?? []) {
      const announcement = announcementFor(webhook, announced);
      quietly(this.underWay.run(() => this.send({ webhook: webhook.name, announcement })));
    }
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
