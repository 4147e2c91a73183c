import type { Control } from '../contract/control.js';
import { isJsonObject } from '../contract/json.js';
import type { BudgetName, RunState } from '../contract/run.js';
import { readControl } from '../policy/control-payload.js';
import { extensionFault, type ExtendableRun } from '../policy/extension-fault.js';
import type { ExtensionRecord, Place } from './timeline.js';

/** What operators asked of a run, as the events tell of it, and what became of it. */
export class ControlLedger {
  /** What they asked by update, by the event that accepted it, until it is answered. */
  readonly #unanswered = new Map<number, Control>();
  #extensions: readonly ExtensionRecord[] = [];
  #exhausted: BudgetName | undefined;
  /** The model has been asked for its last word. */
  #concluding = false;
  #paused = false;

  /** What operators added so far, oldest first. */
  get extensions(): readonly ExtensionRecord[] {
    return this.#extensions;
  }

  exhausted(budget: BudgetName | undefined): void {
    this.#exhausted = budget;
  }

  asked(tools: 'surface' | 'none'): void {
    this.#concluding = tools === 'none';
  }

  /** A continuation begins with the state that it was given; of extensions that were read before, the place is known. */
  carried({ extensions, pausedBy }: RunState): void {
    this.#unanswered.clear();
    this.#paused = pausedBy !== undefined;
    const carried: unknown = extensions;
    if (!Array.isArray(carried) || carried.length === this.#extensions.length) return;
    this.#extensions = carried.flatMap((extension: unknown) => {
      const control = readControl({ ...(isJsonObject(extension) ? extension : {}), action: 'extendBudget' });
      return 'add' in control ? [{ by: control.by, add: control.add }] : [];
    });
  }

  /** An update that waits for its answer, by the event that accepted it. */
  awaits(payload: unknown, { eventId }: Place): void {
    const control = readControl(payload);
    if (!('fault' in control)) this.#unanswered.set(eventId, control);
  }

  /** What an update did that was answered now; undefined when it was refused. */
  answered(acceptedId: number, answer: unknown, place: Place): Control | undefined {
    const control = this.#unanswered.get(acceptedId);
    this.#unanswered.delete(acceptedId);
    return control && isJsonObject(answer) && answer.done === true ? this.#done(control, place) : undefined;
  }

  /** What a signal did. Nothing answers it, so the run's own rules say it, as far as the history tells. */
  signalled(payload: unknown, budgets: ExtendableRun['budgets'], place: Place): Control | undefined {
    const control = readControl(payload);
    if ('fault' in control || this.#refuses(control, budgets)) return undefined;
    return this.#done(control, place);
  }

  #done(control: Control, accepted: Place): Control {
    if (control.action === 'pause') this.#paused = true;
    if (control.action === 'resume') this.#paused = false;
    if (control.action === 'extendBudget') {
      const { by, add } = control;
      this.#extensions = [...this.#extensions, { by, add, accepted }];
    }
    return control;
  }

  #refuses(control: Control, budgets: ExtendableRun['budgets']): boolean {
    switch (control.action) {
      case 'pause':
        return this.#concluding || this.#paused;
      case 'resume':
        return !this.#paused;
      case 'message':
        return this.#concluding;
      case 'revoke':
        return false;
      case 'extendBudget': {
        const extensions = this.#extensions.length;
        const run = { budgets, exhausted: this.#exhausted, ending: this.#concluding, extensions };
        return extensionFault(run, control.add) !== undefined;
      }
    }
  }
}
