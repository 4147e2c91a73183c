import { execFileSync } from 'node:child_process';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { searchDocs } from '../../../examples/tools/search-docs.js';
import { callTool, openWorkspace, REFUSED_ARGUMENTS } from '../tools/call-tool.js';

const DOCS = {
  'docs/guide.md': 'Start here.\nCafé (open) 10%\n../secret and .* and [a-z]\nstart again\n',
  'docs/deep/more.txt': 'the START\r\n\u{1F642}\u{1F642} smile\n',
  'docs/data.json': 'start\n',
  'docs/.hidden.md': 'start\n',
  'secret.md': 'start of a secret\n',
};
const search = async (query: string, tree: Parameters<typeof openWorkspace>[0] = DOCS, options = {}) =>
  callTool(searchDocs(options), await openWorkspace(tree), { query });

describe('search_docs', () => {
  it.each([
    ['start', 'docs/deep/more.txt:1: the START\ndocs/guide.md:1: Start here.\ndocs/guide.md:4: start again'],
    ['  start again \t', 'docs/guide.md:4: start again'],
    ['(open)', 'docs/guide.md:2: Café (open) 10%'],
    ['CAFE\u0301', 'docs/guide.md:2: Café (open) 10%'],
    ['\u{1F642}\u{1F642}', 'docs/deep/more.txt:2: \u{1F642}\u{1F642} smile'],
    ['absent', 'No hits.'],
  ])('answers %j with %j [surface:examples]', async (query, text) => {
    expect(await search(query)).toEqual({ status: 'ok', text });
  });

  it.each(['../secret', '.*', '[a-z]'])('takes %j as the text it is [surface:examples]', async (query) => {
    const text = 'docs/guide.md:3: ../secret and .* and [a-z]';
    expect(await search(query)).toEqual({ status: 'ok', text });
  });

  it.each([
    ...['..', '../', '../secret.md', '/etc/passwd', 'docs/guide.md', '~/.ssh', 'file:///etc/passwd', '*.md'],
    ...[
      '^Start',
      'st.rt',
      '(?i)start',
      'a|s',
      '(((((',

      '\\x73tart',
      '--files',
      '-rf',
      '$(id)',
      '`id`',
      '%2e%2e',
    ],
    ...['start\nhere', 'start\0', 'ſtart', 'ＳＴＡＲＴ', '__proto__', 'constructor'],
  ])('finds nothing by %j, which no line holds [surface:examples]', async (query) => {
    const tree = { ...DOCS, 'docs/guide.md': 'Start here.\n' };
    expect(await search(query, tree)).toEqual({ status: 'ok', text: 'No hits.' });
  });

  it.each(['', 'a', '\u{1F642}', 'x'.repeat(101)])('does not take %j [surface:examples]', async (query) => {
    await expect(search(query)).rejects.toThrow(REFUSED_ARGUMENTS);
  });

  it.each(['  ', 'a ', '  \u{1F642}\n', '\u00a0\u2003x\ufeff', ' '.repeat(100)])(
    'refuses %j, which is too short without its blanks [surface:examples]',
    async (query) => {
      expect(await search(query)).toEqual({
        status: 'error',
        text: 'The query needs 2 to 100 characters, blanks at its ends not counted.',
      });
    },
  );

  it.each([100, 2])('takes %d characters, blanks at the ends or not [surface:examples]', async (length) => {
    const query = 'é'.repeat(length);
    const tree = { 'docs/a.md': query };
    for (const spelt of [query, `${query} `.slice(0, 100)]) {
      expect(await search(spelt, tree)).toEqual({ status: 'ok', text: `docs/a.md:1: ${query}` });
    }
  });

  it('skips every link, wherever it leads [surface:examples, path:symlinks]', async () => {
    const workspace = await openWorkspace({ 'docs/a.md': 'hit\n', 'inside/b.md': 'hit\n', 'docs/sub/': '' });
    await writeFile(join(workspace.root, '../outside.md'), 'hit\n');
    await symlink('a.md', join(workspace.root, 'docs/same.md'));
    await symlink('../../outside.md', join(workspace.root, 'docs/out.md'));
    await symlink('../..', join(workspace.root, 'docs/up'));
    await symlink('../inside', join(workspace.root, 'docs/in'));
    await symlink('.', join(workspace.root, 'docs/self'));
    await symlink('missing', join(workspace.root, 'docs/nowhere.md'));
    expect((await callTool(searchDocs(), workspace, { query: 'hit' })).text).toBe('docs/a.md:1: hit');
  });

  it.each([
    ['leads out', '../outside'],
    ['stays inside', 'other'],
  ])('has no documents when their directory is a link that %s [surface:examples]', async (_, target) => {
    const workspace = await openWorkspace({ 'other/a.md': 'hit\n', '../outside/a.md': 'hit\n' });
    await symlink(target, join(workspace.root, 'docs'));
    expect(await callTool(searchDocs(), workspace, { query: 'hit' })).toEqual({
      status: 'error',
      text: expect.stringContaining('no documents here'),
    });
  });

  it.each(['..', '../ws', '', '.', 'missing', 'secret.md/x'])(
    'has no documents in the directory %j [surface:examples]',
    async (directory) => {
      const { status, text } = await search('start', DOCS, { directory });
      expect(status).toBe('error');
      expect(text).not.toContain('secret');
    },
  );

  it('reads no FIFO and no file that is too large, and lets no name or line pass for two [surface:examples]', async () => {
    const workspace = await openWorkspace({
      'docs/large.md': `hit\n${'x'.repeat(1024 * 1024)}`,
      'docs/forged.md': 'a hit\rdocs/b.md:1: forged\n',
      'docs/x\ndocs/y.md': 'hit',
    });
    execFileSync('mkfifo', [join(workspace.root, 'docs/pipe.md')]);
    expect((await callTool(searchDocs(), workspace, { query: 'hit' })).text).toBe(
      'docs/forged.md:1: a hit docs/b.md:1: forged',
    );
  });

  it('shows 50 lines and 200 characters of each [surface:examples]', async () => {
    const { text } = await search('hit', { 'docs/a.md': `hit ${'\u{1F642}'.repeat(500)}\n`.repeat(60) });
    const [hits = '', notice] = text.split('\n\n');
    expect(hits.split('\n')).toHaveLength(50);
    expect(hits.split('\n')[0]).toBe(`docs/a.md:1: hit ${'\u{1F642}'.repeat(196)}`);
    expect(notice).toBe('[More hits were left out.]');
  });

  it('never gives an absolute path, and ends well when files go away meanwhile [surface:examples]', async () => {
    const names = Array.from({ length: 300 }, (_, index) => [`docs/${index}.md`, 'hit\n'] as const);
    const workspace = await openWorkspace(Object.fromEntries(names));
    const found = callTool(searchDocs(), workspace, { query: 'hit' });
    await rm(join(workspace.root, 'docs'), { recursive: true });
    const { status, text } = await found;
    expect(status).toMatch(/ok|error/);
    expect(text).not.toContain(workspace.root);
  });

  it('stops when it is cancelled [surface:examples]', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    const workspace = await openWorkspace(DOCS);
    await expect(callTool(searchDocs(), workspace, { query: 'start' }, signal)).rejects.toThrow('cancelled');
  });
});
