import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadAgents } from '../../src/cli/load-agents.js';
import { withProject } from './project.js';

const IMPORTS = `import { defineAgent, defineTool, ScriptedModel } from 'holdfast';\n`;
const agent = (name: string, more = ''): string =>
  `defineAgent({ name: '${name}', instructions: '', workspace: 'workspace', model: new ScriptedModel([]), ${more}})`;
const made = (name: string): string => `${IMPORTS}export default ${agent(name)};`;

async function namesIn(files: Readonly<Record<string, string>>, modules = Object.keys(files)) {
  return withProject(files, async (directory) => {
    const agents = await loadAgents(modules.map((file) => join(directory, file)));
    return agents.map(({ name }) => name);
  });
}

/** The error's code and text, without the directory of the project. */
async function refusalOf(files: Readonly<Record<string, string>>, modules = Object.keys(files)) {
  return withProject(files, async (directory) => {
    const error: unknown = await loadAgents(modules.map((file) => join(directory, file))).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message.replaceAll(`${relative(process.cwd(), directory)}/`, '')}`;
  });
}

describe('loading agents', () => {
  it.each<[what: string, files: Readonly<Record<string, string>>, names: readonly string[]]>([
    ['a default export', { 'a.mjs': made('a') }, ['a']],
    ['a named export', { 'a.mjs': `${IMPORTS}export const mine = ${agent('a')};` }, ['a']],
    [
      'several exports',
      { 'a.mjs': `${IMPORTS}export const a = ${agent('a')}, b = ${agent('b')};` },
      ['a', 'b'],
    ],
    [
      'one agent under two names',
      { 'a.mjs': `${IMPORTS}const a = ${agent('a')}; export { a, a as default };` },
      ['a'],
    ],
    ['several modules', { 'a.mjs': made('a'), 'b.mjs': made('b') }, ['a', 'b']],
    ['an agent beside a function', { 'a.mjs': `${made('a')} export function other() {}` }, ['a']],
    [
      'TypeScript with an enum, types and a top-level await',
      {
        'a.ts': `import { defineAgent, ScriptedModel, type Agent } from 'holdfast';
          enum Name { Mine = 'a' }
          const name: Name = await Promise.resolve(Name.Mine);
          export default ${agent("' + name + '")} satisfies Agent;`,
      },
      ['a'],
    ],
  ])('takes %s [api:cli]', async (_what, files, names) => {
    expect(await namesIn(files)).toEqual(names);
  });

  it('takes TypeScript that imports more of it by the name of what is made of it [api:cli]', async () => {
    const files = { 'a.ts': `export { default } from './b.js';`, 'b.ts': made('b') };
    expect(await namesIn(files, ['a.ts'])).toEqual(['b']);
  });

  it.each<[what: string, files: Readonly<Record<string, string>>, refusal: RegExp]>([
    [
      'nothing',
      { 'a.mjs': '' },
      /^invalid_module: a\.mjs: it exports no agent; export what defineAgent returns\.$/,
    ],
    [
      'a function that makes one',
      { 'a.mjs': `${IMPORTS}export const make = () => ${agent('a')};` },
      /^invalid_module: a\.mjs: it exports the function make and no agent; call it there, and export/,
    ],
    [
      'something else',
      { 'a.mjs': `export default { name: 'a' };` },
      /^invalid_module: a\.mjs: it exports no agent/,
    ],
    ['a wrong agent', { 'a.mjs': made('a b') }, /^invalid_agent: a\.mjs: An agent: name must match /],
    [
      'what was changed after it was checked',
      { 'a.mjs': `${IMPORTS}export default { ...${agent('a')}, budgets: { maxErrors: 0 } };` },
      /^invalid_agent: a: budgets\.maxErrors must be a whole number from 1\.$/,
    ],
    [
      'a switch that is none',
      { 'a.mjs': `${IMPORTS}export default { ...${agent('a')}, keepWholeOutputs: 'yes' };` },
      /^invalid_agent: a: keepWholeOutputs must be true or false\.$/,
    ],
    ['bad syntax', { 'a.mjs': 'export default {' }, /^invalid_module: a\.mjs: it cannot be loaded: /],
    ['bad TypeScript', { 'a.ts': 'export default {' }, /^invalid_module: a\.ts: it cannot be loaded: /],
    [
      'a throw',
      { 'a.mjs': `throw new Error('no key')` },
      /^invalid_module: a\.mjs: it cannot be loaded: no key\.$/,
    ],
    [
      'a missing import',
      { 'a.mjs': `import 'no-such-package';` },
      /^invalid_module: a\.mjs: it cannot be loaded: Cannot find package 'no-such-package'/,
    ],
    [
      'two agents of one name',
      { 'a.mjs': `${IMPORTS}export const a = ${agent('a')}, b = ${agent('a')};` },
      /^invalid_agent: a: an agent of this name stands twice in a\.mjs\.$/,
    ],
    [
      'two agents of one name in two modules',
      { 'a.mjs': made('a'), 'b.mjs': made('a') },
      /^invalid_agent: a: an agent of this name stands in a\.mjs and in b\.mjs\.$/,
    ],
  ])('refuses %s by one line [api:cli]', async (_what, files, refusal) => {
    const line = await refusalOf(files);
    expect(line).toMatch(refusal);
    expect(line).not.toContain('\n');
  });

  it.each(['a.mjs', 'a.ts'])(
    'says how to install Holdfast where a module does not find it: %s [api:cli]',
    async (file) => {
      await withProject({ [file]: made('a') }, async (directory) => {
        await rm(join(directory, 'node_modules'), { recursive: true });
        await expect(loadAgents([join(directory, file)])).rejects.toThrow(
          /Cannot find (module|package) 'holdfast'.*; in the module's project, run npm install with the path of your clone of Holdfast\.$/,
        );
      });
    },
  );
});
