import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { citedFile } from './citations.js';
import { HANDED_CASES, REQUIREMENTS, type Requirement } from './requirements.js';
import { sourcePaths } from './source-module.js';

const rows = [...REQUIREMENTS, ...HANDED_CASES];
const named = (...states: Requirement['built'][]): [id: string, rule: string][] =>
  rows.filter((row) => states.includes(row.built)).map(({ id, rule }) => [id, rule]);
const files = sourcePaths(['test'])
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => citedFile(path, readFileSync(path, 'utf8')));
const citations = files.flatMap((file) => file.citations);

function filesThatCite(id: string): string[] {
  return citations.filter((citation) => citation.id === id).map(({ file }) => file);
}

/** The ids of a list that may stand beside the checkout; without it, our own, each once. */
function handedIds(path: string, pattern: RegExp, own: readonly string[]): string[] {
  const file = join('..', 'shared', path);
  if (!existsSync(file)) return [...new Set(own)];
  return [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, id = '']) => id);
}

describe('the requirements', () => {
  it.each([
    ['REQUIREMENTS.md', /^- `([a-z]+:[a-z0-9-]+)` /gm, REQUIREMENTS],
    ['cases/handed.md', /^\*\*(H\d\d) /gm, HANDED_CASES],
  ])('have the ids of %s, in its order', (path, pattern, list) => {
    const own = list.map(({ id }) => id);
    expect(own).toEqual(handedIds(path, pattern, own));
  });

  it('are cited by ids that exist', () => {
    const known = new Set(rows.map(({ id }) => id));
    expect(citations.filter(({ id }) => !known.has(id))).toEqual([]);
  });

  it('are proved by tests that run: none is skipped, focused or left for later', () => {
    expect(files.flatMap((file) => file.suspended)).toEqual([]);
  });

  it.each(named('whole', 'partly'))('are proved by a test that names %s: %s', (id) => {
    expect(filesThatCite(id)).not.toEqual([]);
  });

  // Red as soon as a test names the id: set `built` in requirements.ts.
  it.fails.each(named('not'))('are not built in %s: %s', (id) => {
    expect(filesThatCite(id)).not.toEqual([]);
  });

  // Red as soon as nothing is open any more: then these lines go.
  it.fails('are all built as a whole', () => {
    expect(named('partly', 'not')).toEqual([]);
  });
});

describe('a citation', () => {
  it.each([
    [`it('denies a link [path:symlinks]', f);`, ['path:symlinks']],
    [`test('denies a link [path:symlinks] [H03]', f);`, ['path:symlinks', 'H03']],
    [`it('denies a link [path:symlinks, H03]', f);`, ['path:symlinks', 'H03']],
    [`it.each(table)('denies $link [H03]', f);`, ['H03']],
    ['it.concurrent.each`a|b`(`denies ${link} [H03]`, f);', ['H03']],
    [`it('denies a link ' +\n 'that leaves [H03]', f);`, ['H03']],
    [`it('names items[0].file, paths[] and [an aside]', f);`, []],
    [`describe('links [H03]', f);`, []],
    [`it.fails('denies a link [H03]', f);`, []],
    [`expect('[H03]');`, []],
    [`// it('denies a link [H03]', f);`, []],
  ])('is read from %s', (text, ids) => {
    expect(citedFile('a.test.ts', text).citations.map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    [`it.skip('a', f);`, 'it.skip'],
    [`it.todo('a');`, 'it.todo'],
    [`describe.only('a', f);`, 'describe.only'],
    [`test.skipIf(condition)('a', f);`, 'test.skipIf'],
    [`it.skip.each(table)('a', f);`, 'it.skip.each'],
  ])('does not count when the test is suspended: %s', (text, suspended) => {
    expect(citedFile('a.test.ts', text).suspended).toEqual([`a.test.ts: ${suspended}`]);
  });
});
