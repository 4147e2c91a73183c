import { execFileSync } from 'node:child_process';
import { rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lsTool } from '../../../src/tools/ls.js';
import { readTool } from '../../../src/tools/read.js';
import { guardPath } from '../../../src/workspace/guard.js';
import { listDirectory } from '../../../src/workspace/list-directory.js';
import { PathChangedError } from '../../../src/workspace/path-changed-error.js';
import { callTool, openWorkspace } from './call-tool.js';

const TREE = {
  'b.txt': '1',
  'a/x': '2',
  'a/y/z': '3',
  '.env': 'SECRET',
  '.git/config': '4',
  in: { link: 'a' },
  out: { link: '/etc' },
};
const ls = async (
  args: Record<string, string | number> = {},
  tree: Parameters<typeof openWorkspace>[0] = TREE,
) => callTool(lsTool, await openWorkspace(tree), args);

describe('ls', () => {
  it.each<[Record<string, string | number>, string]>([
    [{}, '.git/\na/\nb.txt\nin\t[link]\nout\t[link]'],
    [{ path: '.' }, '.git/\na/\nb.txt\nin\t[link]\nout\t[link]'],
    [{ path: 'a' }, 'a/x\na/y/'],
    [{ path: 'in' }, 'a/x\na/y/'],
    [{ path: 'a', limit: 1 }, 'a/x\n\n[The first 1 of 2 entries. Raise limit, or use find.]'],
  ])('answers %j with %j [builtin:find-ls] [path:protected]', async (args, text) => {
    expect(await ls(args)).toEqual({ status: 'ok', text });
  });

  it('names files as read accepts them [builtin:find-ls]', async () => {
    const workspace = await openWorkspace({ '-odd [name]/a b': 'x' });
    const { text } = await callTool(lsTool, workspace, { path: '-odd [name]' });
    expect(await callTool(readTool, workspace, { path: text })).toEqual({ status: 'ok', text: 'x' });
  });

  it.each([
    ['an empty directory', { 'd/': '' }, { path: 'd' }, { status: 'ok', text: 'The directory is empty.' }],
    [
      'one of secrets alone',
      { 'd/.env': 'S' },
      { path: 'd' },
      { status: 'ok', text: 'No entries that may be shown.' },
    ],
    ['a file', { f: '1' }, { path: 'f' }, { status: 'error' }],
    ['nothing', { f: '1' }, { path: 'nope' }, { status: 'error' }],
    [
      'a name with a line break',
      { 'x\ny': '1' },
      {},
      { text: expect.stringContaining('left out: 1') as string },
    ],
  ])('says so for %s [builtin:find-ls]', async (_what, tree, args, outcome) => {
    expect(await ls(args, tree)).toMatchObject(outcome);
  });

  it('marks a FIFO and does not open it [builtin:find-ls]', async () => {
    const workspace = await openWorkspace({ f: '1' });
    execFileSync('mkfifo', [join(workspace.root, 'pipe')]);
    expect(await callTool(lsTool, workspace, {})).toEqual({ status: 'ok', text: 'f\npipe\t[FIFO]' });
  });

  it('shows nothing of a directory that became a link after the guard [path:at-use]', async () => {
    const workspace = await openWorkspace({ 'd/x': '1', 'elsewhere/y': '2' });
    const verdict = await guardPath(workspace, 'd', 'read');
    if (!verdict.allowed) throw new Error('refused');
    await rename(join(workspace.root, 'd'), join(workspace.root, 'old'));
    await symlink('/etc', join(workspace.root, 'd'));
    await expect(listDirectory(workspace, verdict.path)).rejects.toBeInstanceOf(PathChangedError);
  });
});
