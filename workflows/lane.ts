/** Runs what it is given in the order in which it is given, at most `width` at once. */
export class Lane {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly width: number) {}

  async run<T>(start: () => Promise<T>): Promise<T> {
    if (this.running < this.width) this.running += 1;
    // Whoever ends hands its place on, so that nothing that comes later slips in between.
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await start();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
