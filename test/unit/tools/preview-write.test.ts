import { execFileSync } from 'node:child_process';
import { readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { applyPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { NO_FILE } from '../../../src/tools/file-now.js';
import { previewWrite } from '../../../src/tools/preview-write.js';
import type { Workspace } from '../../../src/workspace/workspace.js';
import { openWorkspace } from './call-tool.js';
import { guarded, never, sha256Of } from './previewed.js';

const preview = async (workspace: Workspace, text: string, content: string) =>
  previewWrite({ path: await guarded(workspace, text), content }, { workspace, signal: never() });
const lines = (count: number, word: string) =>
  Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');

describe('the preview of a write', () => {
  it('is a diff from /dev/null for a new file, whose parents may be missing [hitl:preview]', async () => {
    const workspace = await openWorkspace({});
    expect(await preview(workspace, 'a/b.txt', 'x\ny')).toEqual({
      kind: 'diff',
      text: '--- /dev/null\n+++ a/b.txt\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n',
      basis: NO_FILE,
    });
    expect(await readdir(workspace.root)).toEqual([]);
  });

  it('is a diff against the file as it is [hitl:preview]', async () => {
    const workspace = await openWorkspace({ f: 'a\nb\n' });
    expect(await preview(workspace, 'f', 'a\nc\n')).toEqual({
      kind: 'diff',
      text: '--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n',
      basis: sha256Of('a\nb\n'),
    });
  });

  it.each([
    ['an emptied file', lines(5000, 'a'), ''],
    ['an empty file filled', '', lines(1500, 'b')],
    ['other line ends', 'a\nb\n', 'a\r\nb\r\n'],
    ['a byte order mark', 'a\n', '\ufeffa\n'],
    ['other characters of several bytes', 'ä\n🙂\n', 'ä\n🙃\n'],
  ])('leads to exactly the new content, with %s [hitl:preview]', async (_, before, after) => {
    const workspace = await openWorkspace({ f: before });
    const { text } = await preview(workspace, 'f', after);
    expect(applyPatch(before, text, { autoConvertLineEndings: false })).toBe(after);
  });

  it.each<[string, string | Uint8Array | undefined, string, string]>([
    ['the same content', 'a\n', 'a\n', 'holds exactly this content already'],
    ['a new, empty file', undefined, '', 'f: a new, empty file.'],
    [
      'Latin-1',
      Buffer.from('\xe9', 'latin1'),
      'é\nx',
      'No diff: the file is not UTF-8 text (1 bytes). All of it is replaced by 4 bytes in 2 lines',
    ],
    ['NUL', 'a\0', '', 'No diff: the file is binary (2 bytes). All of it is replaced by 0 bytes in 0 lines'],
    ['more than 5 MiB', 'x'.repeat(5 * 1024 * 1024 + 1), 'y', 'is larger than 5 MiB (5242881 bytes)'],
    [
      'more than 3,000 other lines',
      lines(2000, 'a'),
      lines(1999, 'b'),
      'changes in more than 3000 lines, from 2000 lines to 1999',
    ],
  ])(
    'says plainly what there is instead of a diff, with %s [hitl:preview]',
    async (_, before, after, why) => {
      const workspace = await openWorkspace(before === undefined ? {} : { f: before });
      expect(await preview(workspace, 'f', after)).toEqual({
        kind: 'text',
        text: expect.stringContaining(why),
        basis: before === undefined ? NO_FILE : sha256Of(before),
      });
    },
  );

  it.each([
    ['dir', 'would fail: This is a directory'],
    ['.', 'would fail: This is the workspace itself'],
    ['pipe', 'would fail: This is not a regular file'],
  ])('says of %j that the call would fail [hitl:preview]', async (text, why) => {
    const workspace = await openWorkspace({ 'dir/': '' });
    execFileSync('mkfifo', [join(workspace.root, 'pipe')]);
    expect(await preview(workspace, text, 'x')).toEqual({
      kind: 'text',
      text: expect.stringContaining(why),
      basis: NO_FILE,
    });
  });

  it('never takes a file for none, whatever it holds [hitl:preview]', async () => {
    const workspace = await openWorkspace({ empty: '', absent: 'absent', zeros: NO_FILE });
    for (const name of ['empty', 'absent', 'zeros']) {
      expect((await preview(workspace, name, 'x')).basis).not.toBe(NO_FILE);
    }
  });

  it('reads a file that has no end in sight only until it is cancelled [hitl:preview]', async () => {
    const workspace = await openWorkspace({ sparse: '' });
    await truncate(join(workspace.root, 'sparse'), 2 ** 42);
    const args = { path: await guarded(workspace, 'sparse'), content: 'x' };
    const cancelled = new AbortController();
    const reading = previewWrite(args, { workspace, signal: cancelled.signal });
    setImmediate(() => cancelled.abort(new Error('cancelled')));
    await expect(reading).rejects.toThrow('cancelled');
  });
});
