import { join } from 'node:path';
import { lock } from 'proper-lockfile';
import { HoldfastError } from '../contract/error-codes.js';

/** Longer than the longest download beneath the lock. */
const WAIT_MS = 12 * 60_000;
const POLL_MS = 200;

/**
 * Runs `work` while no other process of this state directory does. Waits for its turn, and takes over from a
 * holder that died after 10 s. `work` calls `stillHeld` right before what must not happen twice: it throws when
 * this process was stopped for so long that another took over. `stateDir` must exist.
 */
export async function withStateLock<T>(
  stateDir: string,
  work: (stillHeld: () => void) => Promise<T>,
): Promise<T> {
  let lost = false;
  const release = await lock(stateDir, {
    lockfilePath: join(stateDir, 'server.lock'),
    retries: { retries: WAIT_MS / POLL_MS, factor: 1, minTimeout: POLL_MS, maxTimeout: POLL_MS },
    onCompromised: () => {
      lost = true;
    },
  }).catch((cause: unknown) => {
    throw new HoldfastError(
      'temporal_unavailable',
      'The state directory cannot be locked; see that it can be written and that no other start hangs.',
      { cause },
    );
  });
  try {
    return await work(() => {
      if (lost)
        throw new HoldfastError('temporal_unavailable', 'Another process took over the start; try again.');
    });
  } finally {
    if (!lost) await release();
  }
}
