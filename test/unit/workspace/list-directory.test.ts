import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { guardedRoot, guardPath } from '../../../src/workspace/guard.js';
import { listDirectory } from '../../../src/workspace/list-directory.js';
import { PathChangedError } from '../../../src/workspace/path-changed-error.js';
import { resolveWorkspace } from '../../../src/workspace/resolve-workspace.js';
import { makeTree } from './tree.js';

/** Permissions do not hold root up. */
function becomeNobody(): void {
  const uid = process.geteuid?.();
  if (uid !== 0) return;
  process.seteuid?.(65_534);
  onTestFinished(() => process.seteuid?.(uid));
}

describe.each(['handle', 'name'] as const)('the listing of a directory beneath a %s', (beneath) => {
  async function open(entries: Parameters<typeof makeTree>[0]) {
    const base = await makeTree({ 'ws/': '', ...entries });
    const workspace = await resolveWorkspace(join(base, 'ws'), { beneath });
    const list = async (text: string) => {
      const verdict = await guardPath(workspace, text, 'read');
      if (!verdict.allowed) throw new Error(verdict.fault);
      return listDirectory(workspace, verdict.path);
    };
    return { base, workspace, list };
  }

  it('names every kind of entry for what it is [builtin:find-ls]', async () => {
    const { workspace, list } = await open({
      'ws/d/file': '',
      'ws/d/directory/x': '',
      'ws/d/in': { link: 'file' },
      'ws/d/out': { link: '/etc' },
      'ws/d/nowhere': { link: 'missing' },
      'ws/d/loop': { link: 'loop' },
    });
    execFileSync('mkfifo', [join(workspace.root, 'd/pipe')]);
    const server = createServer().listen(join(workspace.root, 'd/socket'));
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    expect(await list('d')).toEqual({
      entries: [
        { path: 'd/directory', kind: 'directory' },
        { path: 'd/file', kind: 'file' },
        { path: 'd/in', kind: 'link' },
        { path: 'd/loop', kind: 'link' },
        { path: 'd/nowhere', kind: 'link' },
        { path: 'd/out', kind: 'link' },
        { path: 'd/pipe', kind: 'FIFO' },
        { path: 'd/socket', kind: 'socket' },
      ],
      ...{ unspelt: 0, secret: 0, complete: true },
    });
  });

  it('leaves secret entries out, a link of such a name too [path:protected, builtin:find-ls]', async () => {
    const { workspace } = await open({
      'ws/.ENV': '',
      'ws/.env.d/x': '',
      'ws/key.pem': { link: 'a' },
      'ws/a': '',
      'ws/.git/config': '',
    });
    const { entries, secret } = await listDirectory(workspace, guardedRoot(workspace));
    expect(entries.map(({ path }) => path)).toEqual(['.git', 'a']);
    expect(secret).toBe(3);
  });

  it('leaves out names that no path can spell, and counts them [path:hostile-names]', async () => {
    const { workspace, list } = await open({
      'ws/d/x\ny': '',
      'ws/d/d\u{FFFD}': '',
      'ws/d/..a': '',
      'ws/d/ b ': '',
      'ws/d/c\\d': '',
    });
    await writeFile(Buffer.concat([Buffer.from(`${workspace.root}/d/`), Buffer.from([0xff])]), '');
    const { entries, unspelt } = await list('d');
    expect(entries.map(({ path }) => path)).toEqual(['d/ b ', 'd/..a', 'd/c\\d', 'd/d\u{FFFD}']);
    expect(unspelt).toBe(2);
  });

  it.each([
    ['d', 'd', 'o'],
    ['d/e', 'd', 'o'],
    ['d/e', 'd/e', 'o/e'],
  ])('of %s is refused when %s became a link out [path:at-use, H06]', async (text, swapped, target) => {
    const { base, workspace } = await open({ 'ws/d/e/x': '', 'o/e/secret.txt': 'S' });
    const verdict = await guardPath(workspace, text, 'read');
    if (!verdict.allowed) throw new Error(verdict.fault);
    await rm(join(workspace.root, swapped), { recursive: true });
    await symlink(join(base, target), join(workspace.root, swapped));
    await expect(listDirectory(workspace, verdict.path)).rejects.toBeInstanceOf(PathChangedError);
  });

  it('of the workspace is refused when that became a link [path:at-use]', async () => {
    const { base, workspace } = await open({ 'ws/a': '', 'o/secret.txt': 'S' });
    await rename(join(base, 'ws'), join(base, 'was'));
    await symlink(join(base, 'o'), join(base, 'ws'));
    await expect(listDirectory(workspace, guardedRoot(workspace))).rejects.toBeInstanceOf(PathChangedError);
    await rm(join(base, 'ws'));
    await mkdir(join(base, 'ws'));
    await expect(listDirectory(workspace, guardedRoot(workspace))).resolves.toMatchObject({ entries: [] });
  });

  it.each([
    ['missing', 'No such file'],
    ['f', 'not a directory'],
    ['f/x', 'not a directory'],
    ['pipe', 'not a directory'],
    ['closed', 'does not permit'],
  ])('says in words why %s cannot be listed [builtin:find-ls]', async (text, why) => {
    const { base, workspace, list } = await open({ 'ws/f': '', 'ws/closed/x': '' });
    execFileSync('mkfifo', [join(workspace.root, 'pipe')]);
    await chmod(base, 0o755);
    await chmod(join(workspace.root, 'closed'), 0);
    becomeNobody();
    const refused = list(text);
    await expect(refused).rejects.toThrow(why);
    await expect(refused).rejects.not.toThrow(workspace.root);
  });

  it.each([
    [2, false],
    [3, true],
  ])(
    'of three entries, looking at %d at most, says whether it is complete [builtin:find-ls]',
    async (most, complete) => {
      const { workspace } = await open({ 'ws/a': '', 'ws/b': '', 'ws/c': '' });
      const listing = await listDirectory(workspace, guardedRoot(workspace), most);
      expect(listing.entries).toHaveLength(most);
      expect(listing.complete).toBe(complete);
    },
  );

  it('keeps no descriptor open, however it ends [path:at-use]', async () => {
    const { workspace, list } = await open({ 'ws/d/x': '', 'ws/f': '' });
    const held = () => readdir('/proc/self/fd').then((fds) => fds.length);
    const before = await held();
    for (let round = 0; round < 20; round += 1) {
      await list('d');
      await listDirectory(workspace, guardedRoot(workspace));
      await list('f').catch(() => undefined);
      await list('missing').catch(() => undefined);
    }
    expect(await held()).toBeLessThan(before + 20);
  });
});
