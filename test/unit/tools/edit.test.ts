import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editTool } from '../../../src/tools/edit.js';
import { callTool, openWorkspace, REFUSED_ARGUMENTS } from './call-tool.js';

type Edits = readonly (readonly [oldText: string, newText: string])[];

async function edit(content: string | Uint8Array, edits: Edits) {
  const workspace = await openWorkspace({ 'f.txt': content });
  const outcome = await callTool(editTool, workspace, {
    path: 'f.txt',
    edits: edits.map(([oldText, newText]) => ({ oldText, newText })),
  });
  expect(await readdir(workspace.root)).toEqual(['f.txt']);
  return { outcome, after: await readFile(join(workspace.root, 'f.txt')) };
}

describe('edit', () => {
  it.each<[string, string, Edits, string]>([
    ['one place', 'a\nb\nc\n', [['b', 'X']], 'a\nX\nc\n'],
    [
      'several places',
      'a\nb\nc\n',
      [
        ['c', 'Z'],
        ['a', 'X'],
      ],
      'X\nb\nZ\n',
    ],
    [
      'places that touch',
      'abcd',
      [
        ['ab', '1'],
        ['cd', '2'],
      ],
      '12',
    ],
    ['a deletion', 'a\nb\nc\n', [['b\n', '']], 'a\nc\n'],
    ['the whole file', 'a\n', [['a\n', '']], ''],
    ['no final newline', 'a\nb', [['b', 'c\nd']], 'a\nc\nd'],
    [
      'text of another edit',
      'a b',
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
      'b a',
    ],
    ['characters of several bytes', 'ä€🙂\n', [['€', '🙂🙂']], 'ä🙂🙂🙂\n'],
  ])('changes %s and nothing else [builtin:edit]', async (_, content, edits, expected) => {
    const { outcome, after } = await edit(content, edits);
    expect(outcome.status).toBe('ok');
    expect(after.toString()).toBe(expected);
  });

  it('says which lines it changed [builtin:edit]', async () => {
    const { outcome } = await edit('a\nb\nc\n', [
      ['c', 'Z'],
      ['a', 'X'],
    ]);
    expect(outcome).toEqual({ status: 'ok', text: 'Edited f.txt at lines 3, 1.' });
  });

  it.each(['\n', '\r\n'])(
    'inserts special characters as they are, between line ends %j [builtin:edit, H27]',
    async (end) => {
      const special = "$& $$ $1 $` $' $<n> \\1 \\n";
      const { after } = await edit(['A', 'OLD', 'B', ''].join(end), [['OLD', special]]);
      expect(after.toString()).toBe(['A', special, 'B', ''].join(end));
    },
  );

  it.each<[string, string, Edits, string]>([
    ['BOM and CRLF', '\ufeffa\r\nb\r\nc\r\n', [['a\nb', 'a\nX']], '\ufeffa\r\nX\r\nc\r\n'],
    ['new lines in a CRLF file', 'a\r\nb\r\n', [['b', 'b\nc']], 'a\r\nb\r\nc\r\n'],
    ['CRLF given for an LF file', 'a\nb\nc\n', [['a\r\nb', 'X\r\nY']], 'X\nY\nc\n'],
    ['a mixed file', 'a\r\nb\nc\r\n', [['b', 'X']], 'a\r\nX\nc\r\n'],
    ['LF lines of a mixed file', 'a\r\nb\nc\nd\r\n', [['b\nc', 'X\nY']], 'a\r\nX\nY\nd\r\n'],
    ['the end of a CRLF line', 'a\r\nb\r\nc', [['b\n', '']], 'a\r\nc'],
    ['the beginning of a CRLF line end', 'a\r\nb\r\n', [['\nb', '\nX']], 'a\r\nX\r\n'],
    ['a lone CR', 'a\rb\n', [['a\rb', 'a\rX']], 'a\rX\n'],
    ['a file without line ends', 'ab', [['b', 'x\r\ny']], 'ax\r\ny'],
  ])('keeps line ends and BOM: %s [builtin:edit, H28]', async (_, content, edits, expected) => {
    const { outcome, after } = await edit(content, edits);
    expect(outcome.status).toBe('ok');
    expect(after.toString()).toBe(expected);
  });

  it.each<[string, string | Uint8Array, Edits, string]>([
    ['text that is not there', 'a\nb\n', [['x', 'y']], 'Edit 1: oldText was not found'],
    ['text that differs in case', 'a\n', [['A', 'y']], 'not found'],
    ['text that stands twice', 'a\nb\na\n', [['a', 'y']], 'Edit 1: oldText stands more than once'],
    ['text that overlaps itself', 'aaa', [['aa', 'y']], 'more than once'],
    [
      'edits that overlap',
      'abc',
      [
        ['bc', '1'],
        ['ab', '2'],
      ],
      'Edits 2 and 1 overlap',
    ],
    [
      'edits of one place',
      'abc',
      [
        ['b', '1'],
        ['b', '2'],
      ],
      'Edits 1 and 2 overlap',
    ],
    [
      'one bad edit of two',
      'a\nb\n',
      [
        ['a', 'X'],
        ['x', 'y'],
      ],
      'Edit 2: oldText was not found',
    ],
    ['edits that change nothing', 'a\n', [['a', 'a']], 'leave the file as it is'],
    ['a file that is not UTF-8', Buffer.from('caf\xe9 a', 'latin1'), [['a', 'b']], 'not UTF-8'],
  ])('changes nothing for %s [builtin:edit]', async (_, content, edits, why) => {
    const { outcome, after } = await edit(content, edits);
    expect(outcome).toEqual({ status: 'error', text: expect.stringContaining(why) });
    expect(after).toEqual(Buffer.from(content));
  });

  it('makes no file and no directory [builtin:edit]', async () => {
    const workspace = await openWorkspace({});
    const edits = [{ oldText: 'a', newText: 'b' }];
    for (const path of ['new', 'dir/new', '.']) {
      expect(await callTool(editTool, workspace, { path, edits })).toMatchObject({ status: 'error' });
    }
    expect(await readdir(workspace.root)).toEqual([]);
  });

  it.each([
    { path: 'f' },
    { path: 'f', edits: [] },
    { path: 'f', edits: [{ oldText: '', newText: 'x' }] },
    { path: 'f', edits: [{ oldText: 'x' }] },
    { path: 'f', edits: '[{"oldText":"x","newText":"y"}]' },
    { path: 'f', edits: [{ oldText: 'x', newText: 'y', all: true }] },
  ])('does not take %j [builtin:edit]', async (args) => {
    await expect(callTool(editTool, await openWorkspace({ f: 'x' }), args)).rejects.toThrow(
      REFUSED_ARGUMENTS,
    );
  });

  it('loses none of several edits at once by several spellings [builtin:concurrent, H30]', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1};`);
    for (let round = 0; round < 50; round += 1) {
      const workspace = await openWorkspace({ 'f.txt': lines.join('\n'), alias: { link: 'f.txt' } });
      const paths = [
        [50, 'f.txt'],
        [75, './f.txt'],
        [90, 'alias'],
      ] as const;
      const outcomes = await Promise.all(
        paths.map(([line, path]) =>
          callTool(editTool, workspace, {
            path,
            edits: [{ oldText: `line ${line};`, newText: `edited ${line};` }],
          }),
        ),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
      const expected = lines.map((line, index) =>
        [50, 75, 90].includes(index + 1) ? `edited ${index + 1};` : line,
      );
      expect(await readFile(join(workspace.root, 'f.txt'), 'utf8')).toBe(expected.join('\n'));
    }
  });
});
