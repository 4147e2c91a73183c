import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openTerminal } from '../../src/cli/terminal.js';

describe('standard input', () => {
  it.each<[what: string, chunks: readonly (string | Buffer)[], text: string | undefined]>([
    ['nothing', [], ''],
    ['text', ['a\n', 'b'], 'a\nb'],
    ['a letter that comes in two parts', [Buffer.from([0xc3]), Buffer.from([0xa9])], 'é'],
    ['as much as may be', ['12345678'], '12345678'],
    ['more than that', ['1234', '56789'], undefined],
    ['what is no UTF-8', [Buffer.from([0xff])], undefined],
  ])('with %s is read whole or not at all', async (_what, chunks, text) => {
    const stdin = new PassThrough();
    for (const chunk of chunks) stdin.write(chunk);
    stdin.end();
    const terminal = openTerminal(
      { stdin, stdout: new PassThrough(), stderr: new PassThrough() },
      () => undefined,
    );
    expect(await terminal.readInput(8)).toBe(text);
  });
});
