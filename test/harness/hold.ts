import type { NativeConnectionPlugin, WorkerPlugin } from '@temporalio/worker';
import { vi } from 'vitest';
import type { HoldfastActivities } from '../../src/contract/activities.js';

type Activities = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/** Stops one type of activity at its start, on the workers of this process, until the test lets it go on. */
export class Hold {
  readonly #type: keyof HoldfastActivities;
  readonly #waiting: (() => void)[] = [];
  #released = false;

  constructor(type: keyof HoldfastActivities) {
    this.#type = type;
  }

  /** Waits until an activity has come to it. */
  async reached(): Promise<void> {
    await vi.waitUntil(() => this.#waiting.length > 0, { timeout: 30_000 });
  }

  /** Lets go on what waits, and what comes later. */
  release(): void {
    this.#released = true;
    for (const go of this.#waiting) go();
  }

  /** What a worker is made with, so that its activities come here first. */
  get plugin(): NativeConnectionPlugin & WorkerPlugin {
    return {
      name: 'hold',
      configureWorker: (options) => ({
        ...options,
        activities: this.#holding((options.activities ?? {}) as Activities),
      }),
    };
  }

  #holding(activities: Activities): Activities {
    const held = activities[this.#type];
    if (!held) throw new Error(`There is no activity ${this.#type}.`);
    return {
      ...activities,
      [this.#type]: async (...args) => {
        await this.#pass();
        return held(...args);
      },
    };
  }

  #pass(): Promise<void> {
    if (this.#released) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
