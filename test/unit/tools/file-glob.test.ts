import { describe, expect, it } from 'vitest';
import { compileGlob } from '../../../src/tools/file-glob.js';
import { FileProblem } from '../../../src/workspace/file-problem.js';

describe('a glob', () => {
  it.each<[glob: string, takes: string[], leaves: string[]]>([
    ['*.ts', ['a.ts', 'src/a.ts', 'x/y/.ts'], ['a.tsx', 'a.ts/b', 'a.TS']],
    ['a', ['a', 'x/a'], ['ab', 'a/b', 'ba']],
    ['src/*.ts', ['src/a.ts'], ['a.ts', 'src/x/a.ts', 'x/src/a.ts']],
    ['/a', ['a'], ['x/a']],
    ['./a', ['a'], ['x/a']],
    ['src/**', ['src/a', 'src/x/y'], ['src', 'xsrc/a']],
    ['src/**/a', ['src/a', 'src/x/a', 'src/x/y/a'], ['src/xa', 'a', 'srca']],
    ['**/x/*', ['x/a', 'y/x/a'], ['x/y/a', 'zx/a']],
    ['**', ['a', 'a/b'], []],
    ['a**b', ['ab', 'axb', 'x/a-b'], ['a/b']],
    ['**.ts', ['a.ts', 'x/a.ts'], ['a.js']],
    ['?.md', ['a.md', 'é.md', '🙂.md'], ['ab.md', '.md']],
    ['a/?', ['a/b'], ['a/b/c', 'a//']],
    ['[ab].c', ['a.c', 'x/b.c'], ['c.c', 'ab.c']],
    ['[!ab].c', ['c.c'], ['a.c']],
    ['x/[^a]/b', ['x/c/b'], ['x/a/b', 'x//b']],
    ['[a-c]', ['b'], ['d', '-']],
    ['[]]', [']'], ['[]]']],
    ['[.]*', ['.env'], ['env']],
    ['[\\w]', ['w', '\\'], ['a']],
    ['*.{ts,md}', ['a.ts', 'x/b.md'], ['a.js', 'a.ts,md']],
    ['{src,test}/**/*.ts', ['src/a.ts', 'test/x/y.ts'], ['lib/a.ts']],
    ['{a,b{c,d}}', ['a', 'bc', 'bd'], ['b', 'c']],
    ['x/{**/y,z}', ['x/y', 'x/a/y', 'x/z'], ['x/a/z']],
    ['a,b', ['a,b'], ['a', 'b']],
    ['\\*\\{x\\}', ['*{x}'], ['a{x}', 'x']],
    ['app/\\[id\\].tsx', ['app/[id].tsx'], ['app/i.tsx']],
    ['a\\', ['a\\'], ['a']],
    ['!a', ['!a'], ['a', 'b']],
    ['#a', ['#a'], ['a']],
    ['--files', ['--files'], ['a']],
    ['a b ', ['a b '], ['a b']],
    ['a.b', ['a.b'], ['axb']],
    ['(a|b)+$', ['(a|b)+$'], ['a', 'aa']],
    ['\\\\d', ['\\d'], ['1']],
    ['../*', [], ['a', 'x/a', '..']],
    ['/', [], ['a']],
  ])('%j matches as a model expects [builtin:find-ls]', (glob, takes, leaves) => {
    const matches = compileGlob(glob);
    expect(takes.filter((path) => !matches(path))).toEqual([]);
    expect(leaves.filter((path) => matches(path))).toEqual([]);
  });

  it.each(['{a', 'a}', '{a,{b}', '[a', '[z-a]', '}{', '['])(
    'that cannot be read is refused: %j [builtin:find-ls]',
    (glob) => {
      expect(() => compileGlob(glob)).toThrow(FileProblem);
    },
  );

  // A backtracking engine would not come back from these in the time of a test.
  it.each([
    ['many directories', '**/a/'.repeat(150)],
    ['many stars', '*a'.repeat(500)],
    ['stars in choices', '{*,**}'.repeat(150)],
    ['choices in choices', `${'{a,'.repeat(300)}b${'}'.repeat(300)}`],
    ['many sets', '*[ab]'.repeat(200)],
  ])('of %s is matched in linear time [builtin:find-ls, schema:bounded]', (_, glob) => {
    const matches = compileGlob(`${glob}!`);
    expect(matches('a/'.repeat(250) + 'a'.repeat(250))).toBe(false);
  });
});
