import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guardArguments } from '../../../src/workspace/guard-arguments.js';
import { resolveWorkspace } from '../../../src/workspace/resolve-workspace.js';
import { makeTree } from './tree.js';

async function open() {
  const base = await makeTree({
    'ws/a': 'A',
    'ws/sub/b': 'B',
    'ws/l': { link: '$/o' },
    'ws/.git/HEAD': '',
    o: 'S',
  });
  return { base, workspace: await resolveWorkspace(join(base, 'ws')) };
}

describe('guardArguments', () => {
  it('gives the handler canonical paths and the record relative ones [tool:handler-args, path:workspace]', async () => {
    const { workspace } = await open();
    const args = { items: [{ file: 'sub/../a' }, { file: './sub/b' }], to: 'new', note: '../../o' };
    const verdict = await guardArguments(workspace, ['items[].file', 'to'], args);
    expect(verdict).toEqual({
      allowed: true,
      args: {
        items: [{ file: join(workspace.root, 'a') }, { file: join(workspace.root, 'sub/b') }],
        to: join(workspace.root, 'new'),
        note: '../../o',
      },
      paths: [
        { argument: 'items[0].file', relative: 'a' },
        { argument: 'items[1].file', relative: 'sub/b' },
        { argument: 'to', relative: 'new' },
      ],
    });
  });

  it.each([
    [{ src: 'a', dst: '../o' }, ['src', 'dst'], 'dst'],
    [{ src: '../o', dst: 'a' }, ['src', 'dst'], 'src'],
    [{ paths: ['a', '../o'] }, ['paths[]'], 'paths[1]'],
    [{ job: { from: 'a', to: '/etc/x' } }, ['job.from', 'job.to'], 'job.to'],
    [{ items: [{ file: 'a' }, { file: 'l' }] }, ['items[].file'], 'items[1].file'],
  ])(
    'refuses all of %j for one path outside, and names its place [path:all-or-nothing, H07]',
    async (args, pathArgs, place) => {
      const { base, workspace } = await open();
      const before = await readdir(base, { recursive: true });
      expect(await guardArguments(workspace, pathArgs, args)).toEqual({
        allowed: false,
        code: 'path_refused',
        text:
          `The argument ${place} is outside the workspace. Use a path inside it, relative to its root. ` +
          'Nothing was done.',
      });
      expect(await readdir(base, { recursive: true })).toEqual(before);
    },
  );

  it.each([
    [{ path: '' }, ['path'], 'path is empty'],
    [{ path: null }, ['path'], 'path is not a string'],
    [{ path: 7 }, ['path'], 'path is not a string'],
    [{ path: ['a'] }, ['path'], 'path is not a string'],
    [{ path: { toString: 'a' } }, ['path'], 'path is not a string'],
    [{ job: 'a' }, ['job.from'], 'job is no object'],
    [{ paths: 'a' }, ['paths[]'], 'paths is no array'],
    [{ paths: ['a', null] }, ['paths[]'], 'paths[1] is not a string'],
  ])(
    'refuses %j, whose declared path cannot be judged [path:fail-closed, H07]',
    async (args, pathArgs, why) => {
      const { workspace } = await open();
      expect(await guardArguments(workspace, pathArgs, args)).toMatchObject({
        allowed: false,
        text: expect.stringContaining(`The argument ${why}`),
      });
    },
  );

  it('takes an absent argument for no path, for the schema says what is required [path:fail-closed]', async () => {
    const { workspace } = await open();
    const verdict = await guardArguments(workspace, ['path', 'job.from'], { pattern: 'x' });
    expect(verdict).toEqual({ allowed: true, args: { pattern: 'x' }, paths: [] });
  });

  it('judges declared arguments only, and no other text [path:free-text]', async () => {
    const { workspace } = await open();
    const args = {
      path: 'a',
      content: '../../etc/passwd',
      options: { path: '/etc/passwd' },
      note: 'read /etc/shadow',
    };
    expect(await guardArguments(workspace, ['path'], args)).toMatchObject({
      allowed: true,
      args: { ...args, path: join(workspace.root, 'a') },
      paths: [{ argument: 'path', relative: 'a' }],
    });
  });

  it('tells several faults, but not without end [path:all-or-nothing]', async () => {
    const { workspace } = await open();
    const paths = Array.from({ length: 40 }, () => '..');
    const verdict = await guardArguments(workspace, ['paths[]'], { paths });
    expect(verdict).toMatchObject({ allowed: false, text: expect.stringContaining('35 more arguments') });
  });

  it.each([
    ['too many paths', Array.from({ length: 1001 }, () => 'a')],
    [
      'paths that are too long together',
      Array.from({ length: 100 }, () => `${'x'.repeat(200)}/`.repeat(19) + 'x'),
    ],
  ])('refuses %s to record [path:fail-closed]', async (_, paths) => {
    const { workspace } = await open();
    expect(await guardArguments(workspace, ['paths[]'], { paths })).toMatchObject({
      allowed: false,
      text: expect.stringContaining('Split it'),
    });
  });

  it('judges as writing what does not say that it reads [path:protected]', async () => {
    const { workspace } = await open();
    const args = { path: '.git/HEAD' };
    expect(await guardArguments(workspace, ['path'], args)).toMatchObject({ allowed: false });
    expect(await guardArguments(workspace, ['path'], args, 'read')).toMatchObject({ allowed: true });
  });
});
