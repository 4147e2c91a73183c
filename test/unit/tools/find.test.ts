import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createFindTool, findTool } from '../../../src/tools/find.js';
import { readTool } from '../../../src/tools/read.js';
import { resolveWorkspace } from '../../../src/workspace/resolve-workspace.js';
import { makeTree } from '../workspace/tree.js';
import { callTool, openWorkspace } from './call-tool.js';

const TREE = {
  'a.txt': '1',
  'src/b.ts': '2',
  'src/deep/c.ts': '3',
  'src/deep/d.md': '4',
  '.github/w.yml': '5',
  '.gitignore': 'build/\n',
  'build/out.ts': '6',
  '.env': 'SECRET',
  'keys/x.pem': 'SECRET',
  '.git/config': '7',
};
type Args = { pattern: string } & Record<string, string | number>;
const find = async (args: Args, tree: Parameters<typeof openWorkspace>[0] = TREE) =>
  callTool(findTool, await openWorkspace(tree), args);

describe('find', () => {
  it.each<[Args, string]>([
    [{ pattern: '*.ts' }, 'src/b.ts\nsrc/deep/c.ts'],
    [{ pattern: 'src/*.ts' }, 'src/b.ts'],
    [{ pattern: 'src/**/*.md' }, 'src/deep/d.md'],
    [{ pattern: '*.ts', path: 'src/deep' }, 'src/deep/c.ts'],
    [{ pattern: 'deep/*', path: 'src' }, 'src/deep/c.ts\nsrc/deep/d.md'],
    [{ pattern: '[bc].ts' }, 'src/b.ts\nsrc/deep/c.ts'],
    [{ pattern: '*.yml' }, '.github/w.yml'],
    [{ pattern: 'absent' }, 'No files.'],
    [{ pattern: '.env' }, 'No files.'],
    [{ pattern: '*.pem' }, 'No files.'],
    [{ pattern: '!a.txt' }, 'No files.'],
    [{ pattern: '#' }, 'No files.'],
    [{ pattern: '--help' }, 'No files.'],
    [{ pattern: '../*' }, 'No files.'],
  ])('answers %j with %j [builtin:find-ls]', async (args, text) => {
    expect(await find(args)).toEqual({ status: 'ok', text });
  });

  it('shows no secret file and nothing that is ignored, whatever the pattern [path:protected]', async () => {
    const { text } = await find({ pattern: '*' });
    expect(text.split('\n')).toEqual([
      '.github/w.yml',
      '.gitignore',
      'a.txt',
      'src/b.ts',
      'src/deep/c.ts',
      'src/deep/d.md',
    ]);
  });

  it('takes names that look like options or patterns as names that read accepts [builtin:find-ls] [H29]', async () => {
    const workspace = await openWorkspace({ '--files': 'x', '-rf/[a].txt': 'y', 'a b.txt': 'z' });
    const { text } = await callTool(findTool, workspace, { pattern: '*' });
    expect(text.split('\n')).toEqual(['--files', '-rf/[a].txt', 'a b.txt']);
    for (const path of text.split('\n')) {
      expect(await callTool(readTool, workspace, { path })).toMatchObject({ status: 'ok' });
    }
    expect(await callTool(findTool, workspace, { pattern: '*', path: '-rf' })).toMatchObject({
      text: '-rf/[a].txt',
    });
  });

  it('leaves out a name with a line break, which could pass for two [path:hostile-names]', async () => {
    expect(await find({ pattern: '*' }, { 'x\nforged.txt': '1', y: '2' })).toEqual({
      status: 'ok',
      text: 'y',
    });
  });

  it('follows no link, and works where the workspace is reached through one [builtin:find-ls] [path:symlinks] [H04]', async () => {
    const base = await makeTree({
      'real/ws/a.txt': '1',
      ws: { link: 'real/ws' },
      'o/secret.txt': 'S',
      'real/ws/out': { link: '$/o' },
    });
    const workspace = await resolveWorkspace(join(base, 'ws'));
    expect(await callTool(findTool, workspace, { pattern: '*.txt' })).toEqual({
      status: 'ok',
      text: 'a.txt',
    });
  });

  it('says that there is more than the limit [builtin:find-ls]', async () => {
    expect(await find({ pattern: '*.ts', limit: 1 })).toEqual({
      status: 'ok',
      text: 'src/b.ts\n\n[The first 1 files. Narrow pattern or path, or raise limit.]',
    });
  });

  it('says that it is partial when its time is over [builtin:find-ls]', async () => {
    const workspace = await openWorkspace(TREE);
    const program = join(workspace.root, '../program');
    await writeFile(program, "#!/bin/sh\nprintf './a.txt\\0'; exec sleep 600\n");
    await chmod(program, 0o755);
    const tool = createFindTool({ program, timeLimit: () => AbortSignal.timeout(300) });
    const { text } = await callTool(tool, workspace, { pattern: '*.txt' });
    expect(text).toContain('Partial result');
  });

  it.each([
    [{ pattern: '*', path: 'nope' }, 'No such file'],
    [{ pattern: '*', path: 'a.txt' }, 'This is a file'],
    [{ pattern: '{a' }, 'no valid glob'],
  ])('answers %j with an error [builtin:find-ls]', async (args, why) => {
    expect(await find(args)).toEqual({ status: 'error', text: expect.stringContaining(why) });
  });

  it('leaves out a name that is no UTF-8, which read could not take [builtin:find-ls]', async () => {
    const workspace = await openWorkspace({ y: '2' });
    await writeFile(Buffer.concat([Buffer.from(`${workspace.root}/x`), Buffer.from([0xff])]), '');
    expect(await callTool(findTool, workspace, { pattern: '*' })).toEqual({ status: 'ok', text: 'y' });
  });

  it('ends its program and throws when it is cancelled [builtin:find-ls]', async () => {
    const workspace = await openWorkspace(TREE);
    const said = join(workspace.root, '../pid');
    const program = join(workspace.root, '../program');
    await writeFile(program, `#!/bin/sh\necho $$ > '${said}'; exec sleep 600\n`);
    await chmod(program, 0o755);
    const cancelled = new AbortController();
    const found = callTool(createFindTool({ program }), workspace, { pattern: '*' }, cancelled.signal);
    const pid = await vi.waitUntil(async () => Number(await readFile(said, 'utf8').catch(() => '')), {
      timeout: 30_000,
    });
    cancelled.abort(new Error('cancelled'));
    await expect(found).rejects.toThrow('cancelled');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it.each([
    [40, 1000, 'The first 1000 files.'],
    [250, 1500, 'More files were left out.'],
  ])(
    'stops with names of %d characters after 1,000 files or 50 KiB [builtin:find-ls]',
    async (size, limit, notice) => {
      const names = Array.from({ length: 1001 }, (_, index) => [`${index}`.padStart(size, 'x'), ''] as const);
      const args = limit === 1000 ? { pattern: '*' } : { pattern: '*', limit };
      const { text } = await find(args, Object.fromEntries(names));
      const [shown = '', said] = text.split('\n\n');
      expect(said).toContain(notice);
      expect(shown.split('\n').length).toBeLessThanOrEqual(1000);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(50 * 1024);
    },
  );
});
