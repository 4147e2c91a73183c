import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeFile } from '../../../src/workspace/change-file.js';
import { FileProblem } from '../../../src/workspace/file-problem.js';
import { guardedRoot, guardPath } from '../../../src/workspace/guard.js';
import { kindAt } from '../../../src/workspace/kind-at.js';
import { PathChangedError } from '../../../src/workspace/path-changed-error.js';
import { readFileAt } from '../../../src/workspace/read-file.js';
import { resolveWorkspace } from '../../../src/workspace/resolve-workspace.js';
import type { GuardedPath, Workspace } from '../../../src/workspace/workspace.js';
import { makeTree } from './tree.js';

const TREE = { 'ws/a.txt': 'A', 'ws/dir/f': 'F', 'ws/deep/er/': '', 'o/f': 'S', 'o/er/f': 'S' };

describe.each(['handle', 'name'] as const)('file operations beneath a %s', (beneath) => {
  async function open(entries: Parameters<typeof makeTree>[0] = TREE) {
    const base = await makeTree(entries);
    const workspace = await resolveWorkspace(join(base, 'ws'), { beneath });
    const guarded = async (text: string): Promise<GuardedPath> => {
      const verdict = await guardPath(workspace, text, 'write');
      if (!verdict.allowed) throw new Error(verdict.fault);
      return verdict.path;
    };
    return { base, workspace, guarded };
  }

  const contentOf = (workspace: Workspace, path: GuardedPath) =>
    readFileAt(workspace, path, (file) => file.readFile('utf8'));
  const put = (workspace: Workspace, path: GuardedPath, content: string) =>
    changeFile(workspace, path, { makeParents: true, next: async () => Buffer.from(content) });
  const useOf = {
    'read a file': contentOf,
    'write a file': (workspace: Workspace, path: GuardedPath) => put(workspace, path, 'X'),
    'look at a file': kindAt,
  };
  const uses = Object.keys(useOf) as (keyof typeof useOf)[];

  it('reads and replaces a file, and makes one with its parents [builtin:write]', async () => {
    const { workspace, guarded } = await open();
    expect(await contentOf(workspace, await guarded('dir/f'))).toBe('F');
    expect(await put(workspace, await guarded('dir/f'), 'new')).toEqual({ created: false });
    expect(await contentOf(workspace, await guarded('dir/f'))).toBe('new');
    expect(await put(workspace, await guarded('x/y/z'), 'Z')).toEqual({ created: true });
    expect(await contentOf(workspace, await guarded('x/y/z'))).toBe('Z');
    expect(await readdir(join(workspace.root, 'dir'))).toEqual(['f']);
  });

  it.each(uses)(
    'refuses to %s beneath a directory that became a link out [path:at-use, H06]',
    async (use) => {
      const { base, workspace, guarded } = await open();
      const path = await guarded('dir/f');
      await rename(join(base, 'ws/dir'), join(base, 'ws/was'));
      await symlink(join(base, 'o'), join(base, 'ws/dir'));
      await expect(useOf[use](workspace, path)).rejects.toBeInstanceOf(PathChangedError);
      expect(await readdir(join(base, 'o'))).toEqual(['er', 'f']);
      expect(await readFile(join(base, 'o/f'), 'utf8')).toBe('S');
    },
  );

  it.each(uses)(
    'refuses to %s beneath a grandparent that became a link out [path:at-use, H06]',
    async (use) => {
      const { base, workspace, guarded } = await open();
      const path = await guarded('deep/er/f');
      await rm(join(base, 'ws/deep'), { recursive: true });
      await symlink(join(base, 'o'), join(base, 'ws/deep'));
      await expect(useOf[use](workspace, path)).rejects.toBeInstanceOf(PathChangedError);
      expect(await readFile(join(base, 'o/er/f'), 'utf8')).toBe('S');
    },
  );

  it.each(uses)(
    'refuses to %s through a link, even one that stays inside [path:at-use, H06]',
    async (use) => {
      const { base, workspace, guarded } = await open();
      const path = await guarded('dir/f');
      await rm(join(base, 'ws/dir/f'));
      await symlink('../a.txt', join(base, 'ws/dir/f'));
      await expect(useOf[use](workspace, path)).rejects.toBeInstanceOf(PathChangedError);
      expect(await readFile(join(base, 'ws/a.txt'), 'utf8')).toBe('A');
    },
  );

  it('makes no directory through a link planted on the way [path:at-use, H06]', async () => {
    const { base, workspace, guarded } = await open();
    const path = await guarded('new/sub/f');
    await symlink(join(base, 'o'), join(base, 'ws/new'));
    await expect(put(workspace, path, 'X')).rejects.toBeInstanceOf(PathChangedError);
    expect(await readdir(join(base, 'o'))).toEqual(['er', 'f']);
  });

  it('refuses when the workspace itself became a link [path:at-use]', async () => {
    const { base, workspace, guarded } = await open();
    const path = await guarded('dir/f');
    await rename(join(base, 'ws'), join(base, 'was'));
    await symlink(join(base, 'was'), join(base, 'ws'));
    await expect(put(workspace, path, 'X')).rejects.toBeInstanceOf(PathChangedError);
    expect(await readFile(join(base, 'was/dir/f'), 'utf8')).toBe('F');
  });

  it('writes nothing when the directory is moved out while the new content is made [path:at-use]', async () => {
    const { base, workspace, guarded } = await open();
    const path = await guarded('dir/f');
    const changed = changeFile(workspace, path, {
      makeParents: false,
      next: async () => {
        await rename(join(base, 'ws/dir'), join(base, 'o/dir'));
        await mkdir(join(base, 'ws/dir'));
        return Buffer.from('X');
      },
    });
    await expect(changed).rejects.toBeInstanceOf(PathChangedError);
    expect(await readFile(join(base, 'o/dir/f'), 'utf8')).toBe('F');
    expect(await readdir(join(base, 'o/dir'))).toEqual(['f']);
  });

  it.each([
    ['missing', 'No such file'],
    ['missing/deeper', 'No such file'],
    ['dir', 'directory'],
    ['.', 'workspace itself'],
    ['fifo', 'not a regular file'],
  ])('answers in words for %j, which is no file to read [builtin:read]', async (text, why) => {
    const { workspace, guarded } = await open();
    execFileSync('mkfifo', [join(workspace.root, 'fifo')]);
    const refused = contentOf(workspace, await guarded(text));
    await expect(refused).rejects.toBeInstanceOf(FileProblem);
    await expect(refused).rejects.toThrow(why);
    await expect(refused).rejects.not.toThrow(workspace.root);
  });

  it.each(['dir', '.', 'fifo'])('does not replace %j, which is no file [builtin:write]', async (text) => {
    const { workspace, guarded } = await open();
    execFileSync('mkfifo', [join(workspace.root, 'fifo')]);
    const before = await readdir(workspace.root, { recursive: true });
    await expect(put(workspace, await guarded(text), 'X')).rejects.toBeInstanceOf(FileProblem);
    expect(await readdir(workspace.root, { recursive: true })).toEqual(before);
  });

  it.each([0o600, 0o755, 0o640])('keeps the mode %o of a file it replaces [builtin:write]', async (mode) => {
    const { workspace, guarded } = await open();
    await chmod(join(workspace.root, 'a.txt'), mode);
    await put(workspace, await guarded('a.txt'), 'new');
    expect((await stat(join(workspace.root, 'a.txt'))).mode & 0o7777).toBe(mode);
  });

  it('replaces the name and not what other names share [builtin:write]', async () => {
    const { base, workspace, guarded } = await open();
    await link(join(base, 'o/f'), join(base, 'ws/shared'));
    await put(workspace, await guarded('shared'), 'X');
    expect(await readFile(join(base, 'o/f'), 'utf8')).toBe('S');
  });

  it('leaves all as it was, without a trace, when the change fails [builtin:write]', async () => {
    const { workspace, guarded } = await open();
    const failed = changeFile(workspace, await guarded('dir/f'), {
      makeParents: false,
      next: () => Promise.reject(new Error('no')),
    });
    await expect(failed).rejects.toThrow('no');
    expect(await contentOf(workspace, await guarded('dir/f'))).toBe('F');
    expect(await readdir(join(workspace.root, 'dir'))).toEqual(['f']);
  });

  it.each([
    ['dir/f', (path: string) => writeFile(path, 'theirs')],
    ['dir/g', (path: string) => writeFile(path, 'theirs')],
    ['dir/f', (path: string) => rm(path)],
  ])(
    'leaves %j alone when another process changes it meanwhile [builtin:concurrent]',
    async (text, interfere) => {
      const { workspace, guarded } = await open();
      const path = await guarded(text);
      const refused = changeFile(workspace, path, {
        makeParents: false,
        next: async () => {
          await interfere(path);
          return Buffer.from('ours');
        },
      });
      await expect(refused).rejects.toThrow('Somebody else changed the file');
      expect(await readFile(path, 'utf8').catch(() => 'gone')).not.toBe('ours');
      expect(await readdir(join(workspace.root, 'dir'))).not.toContainEqual(expect.stringContaining('.tmp'));
    },
  );

  it('makes changes of one file serial, whatever its spelling, and loses none [builtin:concurrent, H30]', async () => {
    const { workspace, guarded } = await open();
    await symlink('a.txt', join(workspace.root, 'alias'));
    const spellings = ['a.txt', './a.txt', 'dir/../a.txt', 'alias', join(workspace.root, 'a.txt')];
    const appended = Array.from({ length: 40 }, async (_, index) =>
      changeFile(workspace, await guarded(spellings[index % spellings.length] ?? ''), {
        makeParents: false,
        next: async (file) => Buffer.from(`${await file?.readFile('utf8')}\n${index}`),
      }),
    );
    await Promise.all(appended);
    const lines = (await contentOf(workspace, await guarded('a.txt'))).split('\n');
    expect(
      lines
        .slice(1)
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: 40 }, (_, i) => i));
  });

  it('goes on with a file after a change of it failed [builtin:concurrent]', async () => {
    const { workspace, guarded } = await open();
    const path = await guarded('a.txt');
    const failed = changeFile(workspace, path, {
      makeParents: false,
      next: () => Promise.reject(new Error('no')),
    });
    const after = put(workspace, path, 'next');
    await expect(failed).rejects.toThrow('no');
    await expect(after).resolves.toEqual({ created: false });
  });

  it('tells a file from a directory [builtin:grep]', async () => {
    const { workspace, guarded } = await open();
    expect(await kindAt(workspace, await guarded('a.txt'))).toBe('file');
    expect(await kindAt(workspace, await guarded('dir'))).toBe('directory');
    expect(await kindAt(workspace, guardedRoot(workspace))).toBe('directory');
    await expect(kindAt(workspace, await guarded('missing'))).rejects.toThrow('No such file');
  });

  it('keeps no descriptor open, however an operation ends [path:at-use]', async () => {
    const { workspace, guarded } = await open();
    const held = () => readdir('/proc/self/fd').then((fds) => fds.length);
    const before = await held();
    for (let round = 0; round < 20; round += 1) {
      await contentOf(workspace, await guarded('dir/f'));
      await put(workspace, await guarded('dir/f'), 'X');
      await contentOf(workspace, await guarded('dir')).catch(() => undefined);
      await put(workspace, await guarded('dir'), 'X').catch(() => undefined);
      await contentOf(workspace, await guarded('missing/x')).catch(() => undefined);
    }
    expect(await held()).toBeLessThan(before + 20);
  });
});
