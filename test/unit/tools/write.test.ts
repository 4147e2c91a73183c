import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeTool } from '../../../src/tools/write.js';
import { callTool, openWorkspace } from './call-tool.js';

describe('write', () => {
  it('makes a file and its parents [builtin:write]', async () => {
    const workspace = await openWorkspace({});
    const outcome = await callTool(writeTool, workspace, { path: 'a/b/c.txt', content: 'äx\r\n' });
    expect(outcome).toEqual({ status: 'ok', text: 'Made a/b/c.txt (5 bytes).' });
    expect(await readFile(join(workspace.root, 'a/b/c.txt'), 'utf8')).toBe('äx\r\n');
  });

  it('replaces a file, keeps its mode, and leaves nothing beside it [builtin:write]', async () => {
    const workspace = await openWorkspace({ 'run.sh': 'old' });
    await chmod(join(workspace.root, 'run.sh'), 0o750);
    const outcome = await callTool(writeTool, workspace, { path: 'run.sh', content: '' });
    expect(outcome).toEqual({ status: 'ok', text: 'Replaced run.sh (0 bytes).' });
    expect((await stat(join(workspace.root, 'run.sh'))).mode & 0o7777).toBe(0o750);
    expect(await readdir(workspace.root)).toEqual(['run.sh']);
  });

  it('writes to the target of a link that stays inside, and keeps the link [builtin:write]', async () => {
    const workspace = await openWorkspace({ 'sub/f': 'old', in: { link: 'sub/f' } });
    const outcome = await callTool(writeTool, workspace, { path: 'in', content: 'new' });
    expect(outcome.text).toBe('Replaced sub/f (3 bytes).');
    expect(await readFile(join(workspace.root, 'in'), 'utf8')).toBe('new');
    expect(
      (await readdir(workspace.root, { withFileTypes: true }))
        .find(({ name }) => name === 'in')
        ?.isSymbolicLink(),
    ).toBe(true);
  });

  it.each([
    ['dir', 'directory'],
    ['.', 'workspace itself'],
  ])('answers for %j with an error and changes nothing [builtin:write]', async (path, why) => {
    const workspace = await openWorkspace({ 'dir/f': 'F' });
    const outcome = await callTool(writeTool, workspace, { path, content: 'X' });
    expect(outcome).toEqual({ status: 'error', text: expect.stringContaining(why) });
    expect(await readdir(workspace.root, { recursive: true })).toEqual(['dir', 'dir/f']);
  });

  it('writes nothing once it is cancelled [builtin:write]', async () => {
    const workspace = await openWorkspace({ f: 'F' });
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(callTool(writeTool, workspace, { path: 'f', content: 'X' }, signal)).rejects.toThrow(
      'cancelled',
    );
    expect(await readFile(join(workspace.root, 'f'), 'utf8')).toBe('F');
  });
});
