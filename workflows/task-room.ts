import { sleep, workflowInfo } from '@temporalio/workflow';
import { jsonBytes } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';

/**
 * What may still be sent in the workflow task at hand (`run:payloads`). Its commands, the markers of its local
 * activities and the updates that it accepts go to the server as one message, and a message over 4 MiB
 * terminates the run (measured). So what is large asks for room, and waits for another task when there is none.
 */
export class TaskRoom {
  private task = 0;
  private sent = 0;
  private last: Promise<unknown> = Promise.resolve();

  /** Waits for a task that has room for so many bytes, in the order of asking. */
  async take(bytes: number): Promise<void> {
    const mine = this.last.then(() => this.enter(bytes));
    this.last = mine.catch(() => undefined);
    return mine;
  }

  /** Does a local activity once there is room, and counts its answer, which becomes a marker of the task. */
  async record<Answer>(activity: () => Promise<Answer>): Promise<Answer> {
    await this.take(0);
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

  /** Whether so much fits into the task at hand; anything fits into one that has sent nothing. */
  private has(bytes: number): boolean {
    return !this.isTaskAtHand() || this.sent === 0 || this.sent + bytes <= LIMITS.taskBytes;
  }

  private async enter(bytes: number): Promise<void> {
    // The shortest timer ends the task: another one begins when it has fired.
    while (!this.has(bytes)) await sleep(1);
    this.spend(bytes);
  }

  /** The history grows between two tasks, and never within one. */
  private isTaskAtHand(): boolean {
    return this.task === workflowInfo().historyLength;
  }
}
