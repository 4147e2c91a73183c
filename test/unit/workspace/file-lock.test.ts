import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { withFileLock } from '../../../src/workspace/file-lock.js';
import { HeldDirectory } from '../../../src/workspace/held-directory.js';
import { makeTree } from './tree.js';

async function open() {
  const root = await makeTree({ f: 'x' });
  const parent = await HeldDirectory.open(root, root, 'handle');
  return { root, parent };
}

/** The name of the lock of `f`, as it stands in the directory while it is held. */
async function lockName(root: string, parent: HeldDirectory): Promise<string> {
  const names = await withFileLock(parent, 'f', () => readdir(root));
  return names.find((name) => name.endsWith('.lock')) ?? '';
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the lock of a file', () => {
  it('lets one after another in, and is gone afterwards, also after a failure [builtin:concurrent]', async () => {
    const { root, parent } = await open();
    let inside = 0;
    let most = 0;
    const works = Array.from({ length: 10 }, (_, n) =>
      withFileLock(parent, 'f', async () => {
        most = Math.max(most, (inside += 1));
        await readdir(root);
        inside -= 1;
        if (n % 2 === 1) throw new Error('no');
      }),
    );
    const ends = await Promise.allSettled(works);
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(5);
    expect(most).toBe(1);
    expect(await readdir(root)).toEqual(['f']);
    await parent.close();
  });

  it('is another one for another file [builtin:concurrent]', async () => {
    const { parent } = await open();
    const both = withFileLock(parent, 'f', () => withFileLock(parent, 'g', async () => 'both'));
    await expect(both).resolves.toBe('both');
    await parent.close();
  });

  it('is taken over from a process that was killed with it [builtin:concurrent] [run:crash]', async () => {
    const { root, parent } = await open();
    const left = join(root, await lockName(root, parent));
    await writeFile(left, '');
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(left, longAgo, longAgo);
    await expect(withFileLock(parent, 'f', async () => 'in')).resolves.toBe('in');
    expect(await readdir(root)).toEqual(['f']);
    await parent.close();
  });

  it('is waited for no longer than 30 s, and nothing is written then [builtin:concurrent]', async () => {
    const { root, parent } = await open();
    const held = join(root, await lockName(root, parent));
    // Held by somebody whose clock is ahead: it never looks left over.
    await writeFile(held, '');
    const ahead = new Date(Date.now() + 3600_000);
    await utimes(held, ahead, ahead);
    vi.useFakeTimers({ toFake: ['Date'] });
    const work = vi.fn<() => Promise<string>>(async () => 'in');
    const refused = withFileLock(parent, 'f', work);
    vi.setSystemTime(Date.now() + 31_000);
    await expect(refused).rejects.toThrow('Try again later');
    expect(work).not.toHaveBeenCalled();
    await parent.close();
  });
});
