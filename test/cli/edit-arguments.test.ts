import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editArguments } from '../../src/cli/dev/edit-arguments.js';
import { person } from './person.js';

describe('arguments in an editor', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  /** Edits `{"a":1}` by a program that is given the file as its last argument. */
  async function editedBy(program: string): Promise<unknown> {
    const file = join(directory, 'editor.mjs');
    const head = `import { readFileSync, writeFileSync } from 'node:fs'; const file = process.argv.at(-1);`;
    await writeFile(file, `${head}\n${program}`);
    const { terminal } = person([]);
    const { signal } = new AbortController();
    return editArguments({ a: 1 }, { terminal, editor: `${process.execPath} ${file} --wait`, signal });
  }

  it('are what the editor leaves', async () => {
    const program = `const args = JSON.parse(readFileSync(file, 'utf8')); writeFileSync(file, JSON.stringify({ ...args, b: 2 }));`;
    expect(await editedBy(program)).toEqual({ args: { a: 1, b: 2 } });
  });

  it.each([
    ['the editor fails', `process.exit(1);`, 'Nothing was changed.'],
    ['the editor is left as it opened', '', 'Nothing was changed.'],
    ['the file is emptied', `writeFileSync(file, '');`, 'Nothing was changed.'],
    ['it is no JSON', `writeFileSync(file, '{');`, 'This is not JSON.'],
    ['it is no object', `writeFileSync(file, '1');`, 'The arguments must be a JSON object.'],
    [
      'a number is too large',
      `writeFileSync(file, '{"a":9007199254740993}');`,
      expect.stringContaining('a:'),
    ],
  ])('are not changed when %s', async (_what, program, problem) => {
    expect(await editedBy(program)).toEqual({ problem });
  });

  it('are not changed when there is no such editor, and leave no file behind', async () => {
    const left = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('holdfast-edit-'));
    const before = await left();
    const { terminal } = person([]);
    const { signal } = new AbortController();
    const editor = join(directory, 'none');
    expect(await editArguments({}, { terminal, editor, signal })).toEqual({
      problem: 'Nothing was changed.',
    });
    expect(await left()).toEqual(before);
  });
});
