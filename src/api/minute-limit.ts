const MINUTE_MS = 60_000;
/** Addresses are without number: past this many the minute begins anew, so that memory stays bounded. */
const MOST_KEYS = 10_000;

/** Counts by key in windows of a minute. In one process: several of them each count for themselves. */
export class MinuteLimit {
  readonly #counts = new Map<string, number>();
  #endsAt = 0;

  constructor(
    private readonly most: number,
    private readonly now: () => number,
  ) {}

  /** Counts one; how many seconds to wait when that is one too many, else undefined. */
  take(key: string): number | undefined {
    const now = this.now();
    if (now >= this.#endsAt || this.#counts.size >= MOST_KEYS) {
      this.#counts.clear();
      this.#endsAt = now + MINUTE_MS;
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count > this.most ? Math.ceil((this.#endsAt - now) / 1000) : undefined;
  }
}
