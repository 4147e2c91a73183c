import { condition, sleep, workflowInfo } from '@temporalio/workflow';
import { jsonBytes } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';

/**
 * What may still be sent in the workflow task at hand (`run:payloads`). Its commands, the markers of its local
 * activities and the updates that it accepts go to the server as one message, and a message over 4 MiB
 * terminates the run (measured). What activities under way answer in the meantime is part of it. So what is large asks
 * for room, and waits for another task when there is none.
 */
export class TaskRoom {
  private task = 0;
  private sent = 0;
  /** The most that activities under way may still answer. */
  private awaited = 0;
  private last: Promise<unknown> = Promise.resolve();

  /** Waits for a task that has room for so many bytes, in the order of asking. */
  take(bytes: number): Promise<void> {
    return this.inOrder(bytes, 0);
  }

  /**
   * As `take`, and for what an activity may answer at the most: call what it gives when the activity has ended.
   */
  async reserve(bytes: number, answer: number): Promise<() => void> {
    await this.inOrder(bytes, answer);
    return () => {
      this.awaited -= answer;
    };
  }

  /** Does a local activity once there is room, and counts its answer, which becomes a marker of the task. */
  async record<Answer>(activity: () => Promise<Answer>): Promise<Answer> {
    // Not behind a call that waits for the answers of others: a person's decision must not wait for a tool.
    await this.enter(0, 0);
    const answer = await activity();
    this.spend(jsonBytes(answer));
    return answer;
  }

  /** Counts what is sent whether there is room or not. */
  spend(bytes: number): void {
    if (!this.isTaskAtHand()) {
      this.task = workflowInfo().historyLength;
      this.sent = 0;
    }
    this.sent += bytes;
  }

  /** Whether so much fits into the task at hand, and all that may be answered; anything fits where nothing is. */
  private fits(bytes: number): boolean {
    const sent = this.isTaskAtHand() ? this.sent : 0;
    return sent + this.awaited === 0 || sent + this.awaited + bytes <= LIMITS.taskBytes;
  }

  private inOrder(bytes: number, answer: number): Promise<void> {
    const mine = this.last.then(() => this.enter(bytes, answer));
    this.last = mine.catch(() => undefined);
    return mine;
  }

  private async enter(bytes: number, answer: number): Promise<void> {
    for (;;) {
      // What only records an answer has a task of its own then.
      if (this.fits(bytes + answer) || (bytes + answer === 0 && !this.hasSent())) break;
      // The shortest timer ends the task: another one begins when it has fired.
      if (this.hasSent()) await sleep(1);
      else await this.someAnswer();
    }
    this.spend(bytes);
    this.awaited += answer;
  }

  /** In the task at hand. */
  private hasSent(): boolean {
    return this.isTaskAtHand() && this.sent > 0;
  }

  private someAnswer(): Promise<void> {
    const before = this.awaited;
    return condition(() => this.awaited < before);
  }

  /** The history grows between two tasks, and never within one. */
  private isTaskAtHand(): boolean {
    return this.task === workflowInfo().historyLength;
  }
}
