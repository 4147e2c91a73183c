import { chmod, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createGrepTool, grepTool } from '../../../src/tools/grep.js';
import { readTool } from '../../../src/tools/read.js';
import { resolveWorkspace } from '../../../src/workspace/resolve-workspace.js';
import { makeTree } from '../workspace/tree.js';
import { callTool, openWorkspace } from './call-tool.js';

const TREE = {
  'a.txt': 'one\ntwo hit\nthree\nfour\nfive Hit\n',
  'src/b.ts': 'hit(1)\r\n',
  'src/deep/c.md': 'no\nhit\n',
  '.github/w.yml': 'hit\n',
};
const grep = async (args: { pattern: string } & Record<string, string | number | boolean>, tree = TREE) =>
  callTool(grepTool, await openWorkspace(tree), args);

/** A program in the place of ripgrep. */
async function program(workspace: { root: string }, script: string): Promise<string> {
  const path = join(workspace.root, '../program');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

/** One that does its work, says so, and does not end by itself. */
async function slowProgram(workspace: { root: string }, work: string) {
  const said = join(workspace.root, '../pid');
  const slow = await program(workspace, `${work}; echo $$ > '${said}'; exec sleep 600`);
  const itsPid = () =>
    vi.waitUntil(async () => Number(await readFile(said, 'utf8').catch(() => '')), { timeout: 30_000 });
  return { slow, itsPid };
}

describe('grep', () => {
  it.each<[Parameters<typeof grep>[0], string]>([
    [{ pattern: 'hit' }, '.github/w.yml:1: hit\na.txt:2: two hit\nsrc/b.ts:1: hit(1)\nsrc/deep/c.md:2: hit'],
    [{ pattern: 'hit', path: 'src' }, 'src/b.ts:1: hit(1)\nsrc/deep/c.md:2: hit'],
    [{ pattern: 'hit', path: 'src/b.ts' }, 'src/b.ts:1: hit(1)'],
    [{ pattern: 'hit', path: '.', glob: '*.md' }, 'src/deep/c.md:2: hit'],
    [{ pattern: 'hit', glob: 'src/*.ts' }, 'src/b.ts:1: hit(1)'],
    [{ pattern: 'hit', glob: '!*.ts' }, 'No hits.'],
    [{ pattern: 'hit', path: 'a.txt', ignoreCase: true }, 'a.txt:2: two hit\na.txt:5: five Hit'],
    [{ pattern: 'hit\\(\\d\\)' }, 'src/b.ts:1: hit(1)'],
    [{ pattern: 'hit(1)', literal: true }, 'src/b.ts:1: hit(1)'],
    [{ pattern: '^t', path: 'a.txt' }, 'a.txt:2: two hit\na.txt:3: three'],
    [
      { pattern: 'hit$', path: 'a.txt', ignoreCase: true, context: 1 },
      'a.txt-1- one\na.txt:2: two hit\na.txt-3- three\na.txt-4- four\na.txt:5: five Hit',
    ],
    [
      { pattern: 'one|five', path: 'a.txt', context: 1 },
      'a.txt:1: one\na.txt-2- two hit\n--\na.txt-4- four\na.txt:5: five Hit',
    ],
    [{ pattern: 'absent' }, 'No hits.'],
  ])('answers %j with %j [builtin:grep]', async (args, text) => {
    expect(await grep(args)).toEqual({ status: 'ok', text });
  });

  it('names files as read takes them, whatever the directory of the process [builtin:grep]', async () => {
    const workspace = await openWorkspace({ 'src/-odd name.txt': 'hit\n' });
    const { text } = await callTool(grepTool, workspace, { pattern: 'hit' });
    const [path = ''] = text.split(':');
    expect(await callTool(readTool, workspace, { path })).toEqual({ status: 'ok', text: 'hit' });
  });

  it('searches a workspace that is reached through a link [builtin:grep, H04]', async () => {
    const base = await makeTree({ 'real/ws/a.txt': 'hit\n', ws: { link: 'real/ws' } });
    const workspace = await resolveWorkspace(join(base, 'ws'));
    for (const args of [{}, { path: join(base, 'ws') }, { path: join(base, 'real/ws/a.txt') }]) {
      const outcome = await callTool(grepTool, workspace, { pattern: 'hit', ...args });
      expect(outcome).toEqual({ status: 'ok', text: 'a.txt:1: hit' });
    }
  });

  it.each([
    [{ pattern: '-77' }, 't:1: x --pre y -77'],
    [{ pattern: '--pre' }, 't:1: x --pre y -77'],
    [{ pattern: '--pre=./p.sh' }, 'No hits.'],
    [{ pattern: '--help', literal: true }, 'No hits.'],
    [{ pattern: 'hit', path: '-rf' }, '-rf:1: hit'],
    [{ pattern: 'hit', glob: '--files' }, '--files:1: hit'],
    [{ pattern: 'hit', glob: '--pre=./p.sh' }, 'No hits.'],
  ])('takes no option from the model: %j gives %j [builtin:grep, H29]', async (args, text) => {
    const workspace = await openWorkspace({
      t: 'x --pre y -77\n',
      '-rf': 'hit\n',
      '--files': 'hit\n',
      'p.sh': '#!/bin/sh\ntouch PWNED\n',
    });
    await chmod(join(workspace.root, 'p.sh'), 0o755);
    expect(await callTool(grepTool, workspace, args)).toEqual({ status: 'ok', text });
    expect(await readdir(workspace.root)).not.toContain('PWNED');
  });

  it.each([
    {},
    { path: '.' },
    { glob: '.env' },
    { glob: '**/.env*' },
    { glob: '*' },
    { glob: '{.env,.ENV,*.pem}' },
    { glob: '.ssh/**' },
  ])('never shows a secret file, whatever the glob: %j [path:protected]', async (args) => {
    const workspace = await openWorkspace({
      ...{ '.env': 'hit=1\n', '.ENV': 'hit=2\n', 'sub/.env.local': 'hit=3\n', 'sub/key.PEM': 'hit=4\n' },
      ...{
        '.ssh/id': 'hit=5\n',
        '.holdfast/db': 'hit=6\n',
        'alias.txt': { link: '.env' },
        '.en\u200bv': 'hit=7\n',
      },
    });
    expect(await callTool(grepTool, workspace, { pattern: 'hit', ...args })).toEqual({
      status: 'ok',
      text: 'No hits.',
    });
  });

  it('heeds exceptions among the protected paths [path:protected]', async () => {
    const base = await makeTree({ 'ws/public.key': 'hit\n', 'ws/private.key': 'hit\n' });
    const workspace = await resolveWorkspace(join(base, 'ws'), { protectedPaths: ['*.key', '!public.key'] });
    expect((await callTool(grepTool, workspace, { pattern: 'hit' })).text).toBe('public.key:1: hit');
  });

  it('looks into .git only when it is asked to [builtin:grep]', async () => {
    const workspace = await openWorkspace({ '.git/config': 'hit\n', 'sub/.git/config': 'hit\n' });
    expect((await callTool(grepTool, workspace, { pattern: 'hit' })).text).toBe('No hits.');
    expect((await callTool(grepTool, workspace, { pattern: 'hit', path: '.git' })).text).toBe(
      '.git/config:1: hit',
    );
  });

  it('leaves out what .gitignore names, binary files, and what links lead to [builtin:grep]', async () => {
    const workspace = await openWorkspace({
      ...{
        '.gitignore': 'built/\n*.log\n',
        'built/x': 'hit\n',
        'y.log': 'hit\n',
        binary: 'hit\0\n',
        ok: 'hit\n',
      },
      ...{ link: { link: 'ok' }, 'linked/': '' },
    });
    await writeFile(join(workspace.root, '../outside'), 'hit\n');
    await symlink('../..', join(workspace.root, 'linked/up'));
    await symlink('../outside', join(workspace.root, 'out'));
    expect(await callTool(grepTool, workspace, { pattern: 'hit' })).toEqual({
      status: 'ok',
      text: 'ok:1: hit',
    });
  });

  it('shows nothing of a file whose name could pass for that of another [path:hostile-names]', async () => {
    const workspace = await openWorkspace({ 'b.txt': 'other\n', 'a\nb.txt': 'hit\n', 'd\n./b.txt': 'hit\n' });
    for (const args of [{}, { glob: '*' }, { glob: 'a\n*' }]) {
      expect((await callTool(grepTool, workspace, { pattern: 'hit', ...args })).text).toBe('No hits.');
    }
  });

  it('stops after limit hits, with the lines around the last, and says so [builtin:grep]', async () => {
    const workspace = await openWorkspace({ f: 'hit 1\nx\nhit 2\ny\nz\nhit 3\n' });
    const { text } = await callTool(grepTool, workspace, { pattern: 'hit', limit: 2, context: 1 });
    expect(text).toBe(
      'f:1: hit 1\nf-2- x\nf:3: hit 2\nf-4- y\n\n[More hits were left out. Narrow pattern, path or glob, or raise limit.]',
    );
  });

  it.each([
    [2, 'f:1: hit\nf:2: hit'],
    [3, 'f:1: hit\nf:2: hit'],
  ])('says nothing when limit %j left nothing out [builtin:grep]', async (limit, text) => {
    const workspace = await openWorkspace({ f: 'hit\nhit\n' });
    expect(await callTool(grepTool, workspace, { pattern: 'hit', limit })).toEqual({ status: 'ok', text });
  });

  it('shows 100 hits when no limit is given [builtin:grep]', async () => {
    const { text } = await grep({ pattern: 'hit' }, { ...TREE, 'a.txt': 'hit\n'.repeat(1000) });
    expect(text.split('\n').filter((line) => /:\d+: /.test(line))).toHaveLength(100);
    expect(text).toContain('More hits were left out');
  });

  it('cuts long lines, and stops at 50 KiB [builtin:grep]', async () => {
    const workspace = await openWorkspace({
      'long.txt': `${'x'.repeat(10_000_000)} hit\n`,
      'many.txt': `hit ${'é'.repeat(200)}\n`.repeat(500),
    });
    const long = await callTool(grepTool, workspace, { pattern: 'x+', path: 'long.txt' });
    expect(Buffer.byteLength(long.text)).toBeLessThan(700);
    const many = await callTool(grepTool, workspace, { pattern: 'hit', path: 'many.txt', limit: 1000 });
    expect(Buffer.byteLength(many.text)).toBeLessThan(51 * 1024);
    expect(many.text).toContain('More output was left out');
  });

  it.each([
    [{ pattern: '(unclosed' }, 'no valid regular expression: unclosed group'],
    [{ pattern: '[z-a]' }, 'no valid regular expression'],
    [{ pattern: 'a\nb' }, 'has a line break'],
    [{ pattern: 'a\0b' }, 'has a line break or NUL'],
    [{ pattern: 'a', glob: 'a\0b' }, 'has NUL'],
    [{ pattern: 'a\\nb' }, 'could not be made'],
    [{ pattern: 'hit', glob: '{a' }, 'no valid glob'],
    [{ pattern: 'hit', path: 'missing' }, 'No such file'],
    [{ pattern: 'hit', path: 'missing/x' }, 'No such file'],
  ])('answers %j with an error [builtin:grep]', async (args, why) => {
    const workspace = await openWorkspace(TREE);
    const outcome = await callTool(grepTool, workspace, args);
    expect(outcome).toEqual({ status: 'error', text: expect.stringContaining(why) });
    expect(outcome.text).not.toContain(workspace.root);
  });

  it.each(['(a|a)*$', '(x+x+)+y', '(.*)*{20}'])(
    'ends with the hostile pattern %j [builtin:grep]',
    async (pattern) => {
      const outcome = await grep(
        { pattern },
        { ...TREE, 'a.txt': `${'a'.repeat(5000)}!\n${'x'.repeat(5000)}\n` },
      );
      expect(outcome.status).toMatch(/ok|error/);
    },
  );

  it('gives what it has when the time is over, and says that it is partial [builtin:grep]', async () => {
    const workspace = await openWorkspace({ 'a.txt': 'hit\n' });
    const { slow, itsPid } = await slowProgram(workspace, `printf './a.txt\\0001:hit\\n'`);
    const timeUp = new AbortController();
    const tool = createGrepTool({ program: slow, timeLimit: () => timeUp.signal });
    const found = callTool(tool, workspace, { pattern: 'hit' });
    await itsPid();
    timeUp.abort();
    expect(await found).toEqual({
      status: 'ok',
      text: 'a.txt:1: hit\n\n[Partial result: the search was ended, out of time or memory. Narrow path or glob.]',
    });
  });

  it('ends its program and throws when it is cancelled [builtin:grep]', async () => {
    const workspace = await openWorkspace({ 'a.txt': 'hit\n' });
    const { slow, itsPid } = await slowProgram(workspace, ':');
    const cancelled = new AbortController();
    const found = callTool(
      createGrepTool({ program: slow }),
      workspace,
      { pattern: 'hit' },
      cancelled.signal,
    );
    const pid = await itsPid();
    cancelled.abort(new Error('cancelled'));
    await expect(found).rejects.toThrow('cancelled');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('passes no environment on to its program [builtin:grep]', async () => {
    const workspace = await openWorkspace({ 'a.txt': 'hit\n' });
    const spy = await program(workspace, `/usr/bin/env > '${workspace.root}/env.txt'`);
    process.env['HOLDFAST_CANARY'] = 'canary';
    await callTool(createGrepTool({ program: spy }), workspace, { pattern: 'hit' });
    delete process.env['HOLDFAST_CANARY'];
    expect(await readFile(join(workspace.root, 'env.txt'), 'utf8')).not.toContain('canary');
  });

  it('says that places could not be read [builtin:grep]', async () => {
    const workspace = await openWorkspace({ 'a.txt': 'hit\n' });
    const complaining = await program(
      workspace,
      `printf './a.txt\\0001:hit\\n'; echo 'rg: ./x: Permission denied (os error 13)' >&2; exit 2`,
    );
    expect(await callTool(createGrepTool({ program: complaining }), workspace, { pattern: 'hit' })).toEqual({
      status: 'ok',
      text: 'a.txt:1: hit\n\n[Places that could not be read and were not searched: 1.]',
    });
  });

  it('says so when its program cannot be started [builtin:grep]', async () => {
    const workspace = await openWorkspace({ 'a.txt': 'hit\n' });
    const tool = createGrepTool({ program: join(workspace.root, 'missing') });
    expect(await callTool(tool, workspace, { pattern: 'hit' })).toEqual({
      status: 'error',
      text: expect.stringContaining('could not be started'),
    });
  });

  it('respects .gitignore and leaves .git out, whatever the glob [builtin:grep]', async () => {
    const tree = { '.gitignore': 'build/\n', 'build/a.ts': 'hit\n', '.git/b.ts': 'hit\n', 'c.ts': 'hit\n' };
    for (const glob of ['*', '*.ts', '**/*.ts']) {
      expect(await callTool(grepTool, await openWorkspace(tree), { pattern: 'hit', glob })).toEqual({
        status: 'ok',
        text: 'c.ts:1: hit',
      });
    }
  });
});
