import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectStatus } from '../../../examples/tools/project-status.js';
import { callTool, openWorkspace, REFUSED_ARGUMENTS } from '../tools/call-tool.js';

const status = async (tree: Parameters<typeof openWorkspace>[0], options = {}) =>
  (await callTool(projectStatus(options), await openWorkspace(tree), {})).text;

describe('project_status', () => {
  it('says how many files of each kind there are, most first [surface:examples]', async () => {
    const tree = {
      'a.ts': '',
      'src/b.TS': '',
      'src/c.md': '',
      'src/deep/d.md': '',
      Makefile: '',
      'e.ts': '',
    };
    expect(await status(tree)).toBe('Files: 6\n.ts: 3\n.md: 2\nno ending: 1');
  });

  it('says so when there are none [surface:examples]', async () => {
    expect(await status({ 'empty/': '' })).toBe('Files: 0');
  });

  it('counts no hidden file, no installed package and nothing behind a link [surface:examples]', async () => {
    const workspace = await openWorkspace({
      ...{ '.git/config': '', '.env': '', 'node_modules/x/index.js': '', 'a.ts': '', 'x\ny.ts': '' },
      ...{ 'b.ts': { link: 'a.ts' }, 'nowhere.ts': { link: 'missing' } },
    });
    await symlink('../..', join(workspace.root, 'up'));
    await symlink('.', join(workspace.root, 'self'));
    expect((await callTool(projectStatus(), workspace, {})).text).toBe('Files: 1\n.ts: 1');
  });

  it.each([
    [2, 'Files: more than 2; of the first 2:\n.a: 1\n.b: 1'],
    [3, 'Files: 3\n.a: 1\n.b: 1\n.c: 1'],
  ])('counts %d files at most and says when there are more [surface:examples]', async (maxFiles, text) => {
    expect(await status({ '1.a': '', '2.b': '', '3.c': '' }, { maxFiles })).toBe(text);
  });

  it('names twenty kinds and counts the others [surface:examples]', async () => {
    const names = Array.from({ length: 23 }, (_, index) => [`f.k${index}`, ''] as const);
    const lines = (await status(Object.fromEntries(names))).split('\n');
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe('of 3 other kinds: 3');
  });

  it.each([{ path: '/' }, { cwd: null }])(
    'takes no arguments such as %j [surface:examples]',
    async (args) => {
      await expect(callTool(projectStatus(), await openWorkspace({}), args)).rejects.toThrow(
        REFUSED_ARGUMENTS,
      );
    },
  );

  it('stops when it is cancelled [surface:examples]', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(callTool(projectStatus(), await openWorkspace({ a: '' }), {}, signal)).rejects.toThrow(
      'cancelled',
    );
  });
});
