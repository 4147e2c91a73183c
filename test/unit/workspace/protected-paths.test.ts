import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guardPath } from '../../../src/workspace/guard.js';
import { DEFAULT_PROTECTED_PATHS, forbidden, secretGlobs } from '../../../src/workspace/protected-paths.js';
import { resolveWorkspace } from '../../../src/workspace/resolve-workspace.js';
import { makeTree } from './tree.js';

const GIT = [
  '.git',
  '.git/config',
  '.git/hooks/x',
  '.GIT/config',
  '.Git/Config',
  'vendor/x/.git/config',
  '.g\u200cit/config',
];
const SECRET = [
  ...[
    '.env',
    '.ENV',
    'sub/.env',
    '.env.local',
    '.Env.Production',
    'key.pem',
    'a/b/KEY.PEM',
    '.ssh',
    '.ssh/id_rsa',
    'sub/.ssh/x',
  ],
  ...['.SSH/x', '.\u017Fsh/id', '.env/x', '.holdfast/db', '.holdfast', 'a/.env.d/x'],
];
const FREE = [
  ...['.', '.gitignore', '.github/x', '.environment', '.envrc', 'env', 'git/config', 'pem', 'x.pem.txt'],
  ...['\u200b', '.\u200b.', '\u200b./x', '\uff0f\uff0e\uff0e\uff0f', 'a\\b', 'x.git/config', 'holdfast/x'],
];

describe('protected paths', () => {
  it.each([...GIT, ...SECRET])('forbids writing %j [path:protected, H05]', (path) => {
    expect(forbidden(DEFAULT_PROTECTED_PATHS, 'write')(path)).toBe(true);
  });

  it.each(SECRET)('forbids reading %j, which is secret [path:protected]', (path) => {
    expect(forbidden(DEFAULT_PROTECTED_PATHS, 'read')(path)).toBe(true);
  });

  it.each(GIT)('lets %j be read [path:protected]', (path) => {
    expect(forbidden(DEFAULT_PROTECTED_PATHS, 'read')(path)).toBe(false);
  });

  it.each(FREE)('leaves %j alone [path:protected, H05]', (path) => {
    expect(forbidden(DEFAULT_PROTECTED_PATHS, 'write')(path)).toBe(false);
  });

  it.each([
    [['build/**'], 'build/x', true],
    [['build/**'], 'build', true],
    [['build/**'], 'src/build/x', false],
    [['build/**'], 'src/build', false],
    [['*.key', '!public.key'], 'a/private.key', true],
    [['*.key', '!public.key'], 'a/public.key', false],
    [['/St[a]te/**'], 'state/x', true],
    [[String.raw`/st\[a\]te/**`], 'st[a]te/x', true],
  ])('reads %j as gitignore does for %j [path:protected]', (globs, path, expected) => {
    expect(forbidden(globs, 'write')(path)).toBe(expected);
  });

  it('counts every protected path but .git as secret [path:protected]', () => {
    expect(secretGlobs([...DEFAULT_PROTECTED_PATHS, 'mine/**'])).toEqual([
      ...DEFAULT_PROTECTED_PATHS.filter((glob) => !glob.includes('.git')),
      'mine/**',
    ]);
  });

  it.each([
    ...[
      '.git/config',
      './.git/config',
      'sub/../.git/config',
      '$/ws/.git/config',
      '.GIT/config',
      '.Git/Config',
      'k',
    ],
    ...['g/config', '.env', '.ENV', 'sub/../.env', '$/ws/.env', 'e', '.git/new', '.git'],
  ])('refuses to write %j, a protected path by another spelling [path:protected, H05]', async (text) => {
    const base = await makeTree({
      'ws/.git/config': '',
      'ws/sub/': '',
      'ws/.env': '',
      'ws/g': { link: '.git' },
    });
    await symlink('.git/config', join(base, 'ws/k'));
    await symlink('.env', join(base, 'ws/e'));
    const workspace = await resolveWorkspace(join(base, 'ws'));
    expect(await guardPath(workspace, text.replace('$', base), 'write')).toEqual({
      allowed: false,
      fault: expect.stringContaining('protected'),
    });
  });
});
