import { Refusal } from './api.js';
import { backoffMs, mayPass } from './backoff.js';

/** Changes come in bursts: the events of a run's past all at once. One asking answers them all. */
const SETTLE_MS = 300;

/**
 * Keeps what is shown up to date by `load`, which asks and draws: never two at a time, so that no older answer is drawn
 * over a newer one. A failure is told as `stale`, and mended by itself where it may pass; one that no token can mend is
 * handed to `signedOut`.
 */
export function live(load, { signal, stale, signedOut }) {
  let running;
  let again = false;
  let timer;
  let tries = 0;

  const later = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(() => void settle(), ms);
  };
  const run = async () => {
    do {
      again = false;
      await load();
    } while (again && !signal.aborted);
  };
  /** Asks now. Throws what the asking throws. */
  const now = async () => {
    clearTimeout(timer);
    if (running) again = true;
    else running = run().finally(() => (running = undefined));
    await running;
    tries = 0;
    stale('');
  };
  const settle = async () => {
    try {
      await now();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refusal && error.status === 401) return signedOut();
      tries += 1;
      const why = error instanceof Refusal ? error.message : 'the server does not answer.';
      stale(`What stands here may be old: ${why}${mayPass(error) ? ' Trying again.' : ''}`);
      if (mayPass(error)) later(backoffMs(tries, error));
    }
  };
  signal.addEventListener('abort', () => clearTimeout(timer));
  return {
    now,
    /** Something has changed: asks soon. */
    changed: () => {
      if (tries === 0 && !signal.aborted) later(SETTLE_MS);
    },
  };
}
