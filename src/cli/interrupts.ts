/** Ctrl-C: quits, unless the work at hand asked to be told first; a second one quits in any case. */
export class Interrupts {
  readonly #controller = new AbortController();
  #held = false;

  constructor(private readonly quit: () => void) {}

  /** Aborted by the first interrupt. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on the first interrupt only aborts the signal; whoever calls this ends the work then. */
  hold(): void {
    this.#held = true;
  }

  interrupt(): void {
    if (!this.#held || this.signal.aborted) this.quit();
    else this.#controller.abort();
  }
}
