import { describe, expect, it } from 'vitest';
import { readTool } from '../../../src/tools/read.js';
import { callTool, openWorkspace, REFUSED_ARGUMENTS } from './call-tool.js';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);
const read = async (content: string | Uint8Array, args = {}) =>
  callTool(readTool, await openWorkspace({ 'f.txt': content }), { path: 'f.txt', ...args });

describe('read', () => {
  it.each([
    ['a\nb\nc\n', {}, 'a\nb\nc'],
    ['a\nb\nc', {}, 'a\nb\nc'],
    ['a\n\n\n', {}, 'a\n\n'],
    ['a\r\nb\r\n', {}, 'a\nb'],
    ['\ufeffa\nb\n', {}, 'a\nb'],
    ['a\nb\n', { offset: 2 }, 'b'],
    ['a\n\ufeffb\n', { offset: 2 }, '\ufeffb'],
    ['a\nb\nc\n', { offset: 2, limit: 1 }, 'b\n\n[Lines 2-2 of 3. Go on with offset 3.]'],
    ['äöü €\n🙂\n', {}, 'äöü €\n🙂'],
    ['', {}, '[The file is empty.]'],
  ])('shows %j by %j as %j [builtin:read]', async (content, args, text) => {
    expect(await read(content, args)).toEqual({ status: 'ok', text });
  });

  it('stops after 2,000 lines and says how to go on [builtin:read]', async () => {
    const lines = numbered(4500);
    const { status, text } = await read(lines.join('\n'));
    expect(status).toBe('ok');
    expect(text).toBe(
      `${lines.slice(0, 2000).join('\n')}\n\n[Lines 1-2000 of 4500. Go on with offset 2001.]`,
    );
  });

  it('stops before the line that would exceed 50 KiB [builtin:read]', async () => {
    const lines = numbered(600).map((line) => `${line} ${'x'.repeat(200)}`);
    const { text } = await read(lines.join('\n'));
    const [shown, notice] = text.split('\n\n');
    expect(Buffer.byteLength(shown ?? '')).toBeLessThanOrEqual(50 * 1024);
    expect(Buffer.byteLength(`${shown}\n${lines[shown?.split('\n').length ?? 0]}\n`)).toBeGreaterThan(
      50 * 1024,
    );
    expect(notice).toMatch(/^\[Lines 1-\d+ of 600\. Go on with offset \d+\.\]$/);
  });

  it('reaches every line of a large file exactly once by the offsets it gives [builtin:read]', async () => {
    const lines = numbered(30_000).map((line, index) => line + 'é'.repeat(index % 97));
    const workspace = await openWorkspace({ 'f.txt': `${lines.join('\n')}\n` });
    const seen: string[] = [];
    let offset: number | undefined = 1;
    while (offset !== undefined) {
      const { text } = await callTool(readTool, workspace, { path: 'f.txt', offset });
      const next: RegExpExecArray | null = /\n\n\[Lines .* Go on with offset (\d+)\.\]$/.exec(text);
      seen.push(...text.slice(0, next?.index ?? text.length).split('\n'));
      offset = next === null ? undefined : Number(next[1]);
    }
    expect(seen).toEqual(lines);
  });

  it.each([
    ['x'.repeat(200_000), 'x'.repeat(51_200)],
    [`a${'€'.repeat(50_000)}`, `a${'€'.repeat(17_066)}`],
    ['🙂'.repeat(50_000), '🙂'.repeat(12_800)],
  ])('cuts a line longer than 50 KiB between characters and says so [builtin:read]', async (line, shown) => {
    const { status, text } = await read(`${line}\nnext\n`);
    expect(status).toBe('ok');
    expect(text).toBe(
      `${shown}\n\n[Line 1 has ${Buffer.byteLength(line) + 1} bytes; only its beginning is shown. Lines 1-1 of 2. Go on with offset 2.]`,
    );
  });

  it.each([
    ['a file with NUL', Buffer.from('a\0b'), {}, 'binary'],
    ['UTF-16', Buffer.from('\ufeffabc', 'utf16le'), {}, 'binary'],
    ['Latin-1', Buffer.from('caf\xe9\n', 'latin1'), {}, 'not UTF-8'],
    ['an offset past the end', 'a\nb\n', { offset: 3 }, 'has 2 lines'],
  ])('answers %s with an error [builtin:read]', async (_, content, args, why) => {
    expect(await read(content, args)).toEqual({ status: 'error', text: expect.stringContaining(why) });
  });

  it.each([
    ['missing.txt', 'No such file'],
    ['dir', 'directory'],
    ['.', 'workspace itself'],
  ])('answers for %j with an error that names no place [builtin:read]', async (path, why) => {
    const workspace = await openWorkspace({ 'dir/': '' });
    const outcome = await callTool(readTool, workspace, { path });
    expect(outcome).toEqual({ status: 'error', text: expect.stringContaining(why) });
    expect(outcome.text).not.toContain('/');
  });

  it.each(['Error: fatal ENOENT\n', '{"status":"error","text":"x"}', 'failed\n'])(
    'is ok with a file that says %j, for the text never decides [tool:handler-result, H26]',
    async (content) => {
      expect(await read(content)).toEqual({ status: 'ok', text: content.trimEnd() });
    },
  );

  it.each([{}, { path: 7 }, { path: 'f', offset: 0 }, { path: 'f', limit: 2001 }, { path: 'f', lines: 1 }])(
    'does not take %j [builtin:read]',
    async (args) => {
      await expect(callTool(readTool, await openWorkspace({ f: 'x' }), args)).rejects.toThrow(
        REFUSED_ARGUMENTS,
      );
    },
  );

  it('stops when it is cancelled [builtin:read]', async () => {
    const workspace = await openWorkspace({ f: 'x' });
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(callTool(readTool, workspace, { path: 'f' }, signal)).rejects.toThrow('cancelled');
  });
});
