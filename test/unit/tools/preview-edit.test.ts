import { readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { editTool } from '../../../src/tools/edit.js';
import { NO_FILE } from '../../../src/tools/file-now.js';
import { previewEdit } from '../../../src/tools/preview-edit.js';
import { PathChangedError } from '../../../src/workspace/path-changed-error.js';
import type { Workspace } from '../../../src/workspace/workspace.js';
import { callTool, openWorkspace } from './call-tool.js';
import { guarded, never, sha256Of } from './previewed.js';

const preview = async (workspace: Workspace, text: string, edits = [{ oldText: 'b', newText: 'X' }]) =>
  previewEdit({ path: await guarded(workspace, text), edits }, { workspace, signal: never() });

describe('the preview of an edit', () => {
  it('is a unified diff with relative paths, and the digest of the bytes [hitl:preview]', async () => {
    const workspace = await openWorkspace({ 'src/f.txt': 'a\nb\nc\n', in: { link: 'src/f.txt' } });
    const expected = {
      kind: 'diff',
      text: '--- src/f.txt\n+++ src/f.txt\n@@ -1,3 +1,3 @@\n a\n-b\n+X\n c\n',
      basis: sha256Of('a\nb\nc\n'),
    };
    for (const text of ['src/f.txt', './src/f.txt', 'in', join(workspace.root, 'src/f.txt')]) {
      expect(await preview(workspace, text)).toEqual(expected);
    }
  });

  it.each([
    ['line ends and a byte order mark', '\ufeffa\r\nb\r\nc\r\nd', 'b\n', 'X\n'],
    ['special replacement texts', 'a\nb\nc\n', 'b', "$& $$ $1 $` $'"],
    ['many lines apart', `${'x\n'.repeat(50)}b\n${'y\n'.repeat(50)}`, 'b', 'X'],
    ['an emptied file', 'a\nb\n', 'a\nb\n', ''],
    ['text that looks like a diff', 'a\nb\n--- c\n+++ d\n@@ -1 +1 @@\n', 'b', '@@ -1 +1 @@\n-a'],
  ])('shows exactly what edit then does, with %s [hitl:preview]', async (_, content, oldText, newText) => {
    const workspace = await openWorkspace({ f: content });
    const { text } = await preview(workspace, 'f', [{ oldText, newText }]);
    await callTool(editTool, workspace, { path: 'f', edits: [{ oldText, newText }] });
    expect(applyPatch(content, text, { autoConvertLineEndings: false })).toBe(
      await readFile(join(workspace.root, 'f'), 'utf8'),
    );
  });

  it('shows three lines of context [hitl:preview]', async () => {
    const workspace = await openWorkspace({ f: '1\n2\n3\n4\nb\n5\n6\n7\n8\n' });
    expect((await preview(workspace, 'f')).text).toContain(
      '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-b\n+X\n 5\n 6\n 7\n',
    );
  });

  it('changes nothing [hitl:preview]', async () => {
    const workspace = await openWorkspace({ f: 'b' });
    await preview(workspace, 'f');
    await preview(workspace, 'new/g');
    expect(await readdir(workspace.root, { recursive: true })).toEqual(['f']);
  });

  it('has another basis as soon as a byte of the file is another [hitl:preview]', async () => {
    const workspace = await openWorkspace({ f: 'b\n' });
    const before = await preview(workspace, 'f');
    await writeFile(join(workspace.root, 'f'), 'b\r\n');
    expect((await preview(workspace, 'f')).basis).not.toBe(before.basis);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['text that is not there', 'a\n', 'would fail: Edit 1: oldText was not found'],
    ['text that stands twice', 'b b', 'would fail: Edit 1: oldText stands more than once'],
    [
      'Latin-1',
      Buffer.from('b \xe9', 'latin1'),
      'No diff: the file is not UTF-8 text (3 bytes). The call asks for one edit',
    ],
    ['NUL', 'b\0', 'No diff: the file is binary (2 bytes)'],
    [
      'more than 5 MiB',
      `${'x'.repeat(5 * 1024 * 1024)}b`,
      'No diff: the file is larger than 5 MiB (5242881 bytes)',
    ],
  ])('says plainly what there is instead of a diff, with %s [hitl:preview]', async (_, content, why) => {
    const workspace = await openWorkspace({ f: content });
    expect(await preview(workspace, 'f')).toEqual({
      kind: 'text',
      text: expect.stringContaining(why),
      basis: sha256Of(content),
    });
  });

  it.each([
    ['missing', 'No such file'],
    ['dir/missing', 'No such file'],
    ['dir', 'This is a directory'],
    ['.', 'workspace itself'],
  ])('says of %j that the call would fail [hitl:preview]', async (text, why) => {
    const workspace = await openWorkspace({ 'dir/': '' });
    expect(await preview(workspace, text)).toEqual({
      kind: 'text',
      text: expect.stringMatching(`would fail: .*${why}`),
      basis: NO_FILE,
    });
  });

  it('is refused when a link was swapped in since the guard [path:at-use, H06]', async () => {
    const workspace = await openWorkspace({ 'd/f': 'b' });
    const path = await guarded(workspace, 'd/f');
    await rename(join(workspace.root, 'd'), join(workspace.root, 'e'));
    await symlink('e', join(workspace.root, 'd'));
    const edits = [{ oldText: 'b', newText: 'X' }];
    await expect(previewEdit({ path, edits }, { workspace, signal: never() })).rejects.toBeInstanceOf(
      PathChangedError,
    );
  });

  it('stops when it is cancelled [hitl:preview]', async () => {
    const workspace = await openWorkspace({ f: 'b' });
    const signal = AbortSignal.abort(new Error('cancelled'));
    const args = { path: await guarded(workspace, 'f'), edits: [] };
    await expect(previewEdit(args, { workspace, signal })).rejects.toThrow('cancelled');
  });
});
