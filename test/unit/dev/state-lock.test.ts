import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withStateLock } from '../../../src/dev/state-lock.js';

describe('the lock of a state directory', () => {
  let stateDir: string;
  beforeEach(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'holdfast-lock-'));
  });
  afterEach(() => rm(stateDir, { recursive: true, force: true }));

  it('is held by one at a time, and given on when the work fails', async () => {
    const log: string[] = [];
    const work = (name: string) =>
      withStateLock(stateDir, async () => {
        log.push(`${name} in`);
        await vi.waitFor(() => expect(log.length).toBeGreaterThan(0), { timeout: 30_000 });
        log.push(`${name} out`);
        throw new Error(name);
      });
    const results = await Promise.allSettled(['a', 'b', 'c'].map(work));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    for (let i = 0; i < 6; i += 2) expect(log[i]?.replace('in', 'out')).toBe(log[i + 1]);
  });

  it('tells its holder when another took it over', async () => {
    await withStateLock(stateDir, async (stillHeld) => {
      expect(stillHeld).not.toThrow();
      await rm(join(stateDir, 'server.lock'), { recursive: true });
      await vi.waitFor(() => expect(stillHeld).toThrow('Another process took over'), { timeout: 30_000 });
    });
  });

  it('is an error when the directory cannot be locked', async () => {
    await rm(stateDir, { recursive: true });
    await expect(withStateLock(stateDir, async () => {})).rejects.toMatchObject({
      code: 'temporal_unavailable',
    });
  });
});
