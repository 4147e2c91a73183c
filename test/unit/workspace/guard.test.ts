import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guardPath } from '../../../src/workspace/guard.js';
import { resolveWorkspace } from '../../../src/workspace/resolve-workspace.js';
import { makeTree } from './tree.js';

const TREE = {
  'ws/a.txt': 'A',
  'ws/a..b': 'B',
  'ws/..foo/f': 'F',
  'ws/sub/a': 'SA',
  'ws/in': { link: 'sub' },
  'ws/absolute': { link: '$/ws/sub' },
  'ws/l': { link: '../o' },
  'ws/up': { link: '$/o/deep' },
  'ws/n': { link: '$/o/secret.txt' },
  'ws/d': { link: '$/o/new.txt' },
  'ws/p': { link: 'd' },
  'ws/gone': { link: 'nothing/here' },
  'ws/back': { link: 'sub/../../ws/a.txt' },
  'ws/x': { link: 'y' },
  'ws/y': { link: 'x' },
  'ws-evil/f': 'S',
  'o/secret.txt': 'S',
  'o/deep/': '',
  link: { link: 'ws' },
};

async function open() {
  const base = await makeTree(TREE);
  return { base, workspace: await resolveWorkspace(join(base, 'ws')) };
}

describe('guardPath', () => {
  it.each([
    ['a.txt', 'a.txt'],
    ['./a.txt', 'a.txt'],
    ['sub//a', 'sub/a'],
    ['sub/../a.txt', 'a.txt'],
    ['sub/', 'sub'],
    ['.', '.'],
    ['sub/..', '.'],
    ['../ws/a.txt', 'a.txt'],
    ['$/ws/a.txt', 'a.txt'],
    ['$/ws/sub/../a.txt', 'a.txt'],
    ['$/ws', '.'],
  ])(
    'judges %j from the workspace, not from the directory of the process [path:workspace]',
    async (text, relative) => {
      const { base, workspace } = await open();
      expect(process.cwd()).not.toContain(base);
      const verdict = await guardPath(workspace, text.replace('$', base), 'write');
      expect(verdict).toEqual({ allowed: true, path: join(workspace.root, relative), relative });
    },
  );

  it.each([
    ['..foo/f', '..foo/f'],
    ['a..b', 'a..b'],
  ])('allows %j, whose name only looks like a way up [path:inside, H01]', async (text, relative) => {
    const { workspace } = await open();
    expect(await guardPath(workspace, text, 'write')).toMatchObject({ allowed: true, relative });
  });

  it.each([
    '../ws-evil/f',
    '$/ws-evil/f',
    '$/ws-evil',
    '..',
    '$',
    '/',
    '/etc/passwd',
    '../../../../etc/passwd',
  ])('refuses %j, which is no path beneath the root by components [path:inside, H01]', async (text) => {
    const { base, workspace } = await open();
    expect(await guardPath(workspace, text.replace('$', base), 'read')).toEqual({
      allowed: false,
      fault: expect.stringContaining('outside the workspace'),
    });
  });

  it.each([
    'l',
    'l/',
    'l/secret.txt',
    'l/new',
    'l/new/deeper',
    'up/../secret.txt',
    'up/x',
    'in/../l/secret.txt',
    'n',
  ])(
    'refuses %j, which leaves through a link as the kernel reads it [path:symlinks, H02, H03]',
    async (text) => {
      const { workspace } = await open();
      expect(await guardPath(workspace, text, 'read')).toEqual({
        allowed: false,
        fault: expect.stringContaining('outside the workspace'),
      });
    },
  );

  it.each([
    ['in/a', 'sub/a'],
    ['absolute/a', 'sub/a'],
    ['in/../a.txt', 'a.txt'],
    ['in/new', 'sub/new'],
    ['in/new/deeper', 'sub/new/deeper'],
    ['back', 'a.txt'],
  ])('follows %j, whose links stay inside, to its target [path:symlinks, H02]', async (text, relative) => {
    const { workspace } = await open();
    expect(await guardPath(workspace, text, 'write')).toMatchObject({ allowed: true, relative });
  });

  it.each([
    ['d', 'outside the workspace'],
    ['p', 'outside the workspace'],
    ['gone', 'leads nowhere'],
    ['gone/f', 'leads nowhere'],
    ['x', 'loop of links'],
    ['x/f', 'loop of links'],
  ])('refuses %j, a link that does not resolve [path:symlinks, H03]', async (text, why) => {
    const { workspace } = await open();
    expect(await guardPath(workspace, text, 'write')).toEqual({
      allowed: false,
      fault: expect.stringContaining(why),
    });
  });

  it.each([
    ['new', 'new'],
    ['new/dir/f', 'new/dir/f'],
    ['new//f', 'new/f'],
    ['$/ws/new/./f', 'new/f'],
  ])(
    'allows %j, which can be made, by its nearest existing ancestor [path:symlinks]',
    async (text, relative) => {
      const { base, workspace } = await open();
      expect(await guardPath(workspace, text.replace('$', base), 'write')).toMatchObject({
        allowed: true,
        relative,
      });
    },
  );

  it.each([
    ['new/../a.txt', 'goes up from a directory that does not exist'],
    ['new/', 'no such directory exists'],
    ['new/.', 'no such directory exists'],
    ['a.txt/', 'not a directory'],
    ['a.txt/..', 'not a directory'],
    ['a.txt/x', 'not a directory'],
    ['back/x', 'not a directory'],
  ])('refuses %j, which the kernel could not open either [path:symlinks]', async (text, why) => {
    const { workspace } = await open();
    expect(await guardPath(workspace, text, 'write')).toEqual({
      allowed: false,
      fault: expect.stringContaining(why),
    });
  });

  it.each(['../missing/x', '$/missing', '/missing/deep', '/etc/passwd/x', '$/o/missing', '$/ws-evil/f/x'])(
    'says no more of %j than that it is outside [path:inside]',
    async (text) => {
      const { base, workspace } = await open();
      expect(await guardPath(workspace, text.replace('$', base), 'read')).toEqual(
        await guardPath(workspace, '..', 'read'),
      );
    },
  );

  it.each([
    ['', 'is empty'],
    ['a\0b', 'control character'],
    ['a\nb', 'control character'],
    ['a\u007f', 'control character'],
    ['a\u0085b', 'control character'],
    ['\ud800', 'Unicode'],
    ['a\udc00/b', 'Unicode'],
    ['n'.repeat(256), 'longer than 255 bytes'],
    ['é'.repeat(128), 'longer than 255 bytes'],
    ['d/'.repeat(2048) + 'f', 'longer than 4096 bytes'],
    ['d/'.repeat(256) + 'f', 'deeper than 256 names'],
    [7, 'not a string'],
    [null, 'not a string'],
    [['a.txt'], 'not a string'],
  ])('refuses %j with one fault [path:hostile-names, path:fail-closed]', async (text, why) => {
    const { workspace } = await open();
    expect(await guardPath(workspace, text, 'read')).toEqual({
      allowed: false,
      fault: expect.stringContaining(why),
    });
  });

  it.each([
    ['~', '~'],
    ['~/x', '~/x'],
    ['~root/x', '~root/x'],
    ['$HOME/x', '$HOME/x'],
    ['https://example.org/x', 'https:/example.org/x'],
    ['file:///etc/passwd', 'file:/etc/passwd'],
    ['C:\\Windows', 'C:\\Windows'],
    ['..\\..\\x', '..\\..\\x'],
    ['%2e%2e/x', '%2e%2e/x'],
    ['a.txt ', 'a.txt '],
    [' ', ' '],
    ['...', '...'],
    ['-rf', '-rf'],
    ['*', '*'],
    ['n'.repeat(255), 'n'.repeat(255)],
  ])('takes %j for a name inside, and expands nothing [path:hostile-names]', async (text, relative) => {
    const { workspace } = await open();
    expect(await guardPath(workspace, text, 'write')).toMatchObject({ allowed: true, relative });
  });

  it.each(['a.txt', 'in/a', 'back', 'sub/../a..b', '..foo/../in/../a.txt', 'absolute/.././a.txt'])(
    'agrees with the kernel about %j [path:symlinks]',
    async (text) => {
      const { workspace } = await open();
      expect(await guardPath(workspace, text, 'read')).toMatchObject({
        path: await realpath(`${workspace.root}/${text}`),
      });
    },
  );

  it('accepts both spellings of a root that is reached through a link [path:workspace, H04]', async () => {
    const base = await makeTree({ 'real/ws/a.txt': 'A', 'real/other': 'S', ws: { link: 'real/ws' } });
    const workspace = await resolveWorkspace(join(base, 'ws'));
    for (const text of ['a.txt', join(base, 'ws/a.txt'), join(base, 'real/ws/a.txt'), join(base, 'ws/new')]) {
      const verdict = await guardPath(workspace, text, 'read');
      expect(verdict).toMatchObject({ allowed: true, relative: basename(text) });
    }
    expect(await guardPath(workspace, join(base, 'real/other'), 'read')).toMatchObject({ allowed: false });
  });

  it('names no path in a fault [path:inside]', async () => {
    const { base, workspace } = await open();
    for (const text of ['l/secret.txt', 'x', 'gone', 'a.txt/x', `${base}/o/secret.txt`, 'n'.repeat(300)]) {
      const verdict = await guardPath(workspace, text, 'read');
      expect(verdict.allowed).toBe(false);
      expect(JSON.stringify(verdict)).not.toMatch(/secret|holdfast-tree|nnn|a\.txt/);
    }
  });

  it('alone mints a GuardedPath [path:at-use]', async () => {
    const source = new URL('../../../src/', import.meta.url);
    const minting: string[] = [];
    for (const name of await readdir(source, { recursive: true })) {
      if (!name.endsWith('.ts')) continue;
      const text = await readFile(new URL(name, source), 'utf8');
      if (/\b(as|is) GuardedPath\b|<GuardedPath>\s*\(/.test(text)) minting.push(name);
    }
    expect(minting).toEqual(['workspace/guard.ts']);
  });
});
