import { condition, workflowInfo } from '@temporalio/workflow';
import { LIMITS } from '../src/contract/limits.js';
import type { Manifest } from '../src/contract/manifest.js';

/**
 * What has activities in it and must not be under way when a run continues as new: their answers would be lost
 * (`run:continue-as-new`). A step that is to begin when the history has grown long waits until the run has continued;
 * its successor begins it then.
 */
export class Steps {
  private underWay = 0;
  private held = false;
  private ended = false;
  /** This execution has done something: one that did nothing yet has no reason to end. */
  private moved = false;
  private updates = 0;
  /** Past which number of events it may be tried again, when what is to be carried was too large. */
  private notBefore = 0;

  constructor(private readonly manifest: () => Manifest) {}

  /** Does a step, once none is held back. */
  async do<T>(step: () => Promise<T>): Promise<T> {
    if (this.isDue(URGENT)) this.hold();
    if (this.held) await condition(() => !this.held);
    this.underWay += 1;
    try {
      return await step();
    } finally {
      this.underWay -= 1;
      this.note();
    }
  }

  /** No activity of a step is under way. */
  get idle(): boolean {
    return this.underWay === 0;
  }

  /** The run wants to continue as new: at once when nothing is under way, before the next step when it is urgent. */
  get due(): boolean {
    return !this.ended && (this.held || (this.idle && this.isDue(1)));
  }

  /** Between two turns the run continues as soon as it is due; resolves when it need not. */
  async betweenTurns(): Promise<void> {
    if (this.isDue(1)) this.hold();
    if (this.held) await condition(() => !this.held);
  }

  /** The run has its end, or will have it here: nothing goes on in a successor, and nothing waits for one. */
  end(): void {
    this.ended = true;
    this.held = false;
  }

  /** Something was recorded: a step, or beside them a decision was judged. */
  note(): void {
    this.moved = true;
  }

  /** The server counts the updates of an execution, and takes no more than 2,000. */
  noteUpdate(): void {
    this.updates += 1;
    this.note();
  }

  /** Nothing new begins until the run has continued, or has found that it cannot. */
  hold(): void {
    this.held = !this.ended;
  }

  /** What is to be carried is too large by now: the run goes on for a while. */
  release(): void {
    this.held = false;
    this.notBefore = Math.ceil(workflowInfo().historyLength * 1.25);
  }

  private isDue(times: number): boolean {
    const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
    if (!this.moved || historyLength < this.notBefore) return false;
    return (
      (continueAsNewSuggested && times === 1) ||
      historyLength >= times * this.manifest().continueAfterEvents ||
      historySize >= times * LIMITS.executionBytes ||
      this.updates >= times * LIMITS.executionUpdates
    );
  }
}

/** How many times past the limits nothing new may begin in a turn, until the run has continued. */
const URGENT = 2;
