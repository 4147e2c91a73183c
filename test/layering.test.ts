import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { breaches } from './layering.js';
import { parseModule, sourceModules, sourcePaths } from './source-module.js';

const FOLDERS = ['src', 'workflows', 'activities', 'examples', 'test'];

/** Imports that both fences refuse: the rules here, and oxlint's restricted imports. */
const REFUSED_IMPORTS: readonly [file: string, code: string][] = [
  ['workflows/turn.ts', `import { readFile } from 'node:fs/promises';`],
  ['workflows/turn.ts', `import fs from 'fs';`],
  ['workflows/turn.ts', `import { Ajv } from 'ajv';`],
  ['workflows/turn.ts', `import { Context } from '@temporalio/activity';`],
  ['workflows/turn.ts', `import { log } from '@temporalio/workflow/lib/logs.js';`],
  ['workflows/turn.ts', `import { digestOf } from '../src/digest.js';`],
  ['workflows/turn.ts', `import { digestOf } from '../src/contract/../digest.js';`],
  ['workflows/turn.ts', `import { digestOf } from './../src/digest.js';`],
  ['workflows/turn.ts', `import type { Model } from '../src/models/model.js';`],
  ['workflows/turn.ts', `export { executeTool } from '../activities/execute-tool.js';`],
  ['workflows/turn.ts', `export const later = import('../activities/execute-tool.js');`],
  ['src/contract/json.ts', `import { createHash } from 'node:crypto';`],
  ['src/contract/json.ts', `import { digestOf } from '../digest.js';`],
  ['src/contract/json.ts', `import { sleep } from '@temporalio/workflow';`],
  ['src/policy/risk.ts', `import { digestOf } from '../digest.js';`],
  ['src/policy/risk.ts', `import { ApplicationFailure } from '@temporalio/common';`],
  ['activities/index.ts', `import { agentRun } from '../workflows/index.js';`],
  ['src/cli/main.ts', `import { executeTool } from '../../activities/execute-tool.js';`],
  ['src/cli/main.ts', `import { read } from '../tools/read.js';`],
  ['src/api/server.ts', `export * from '../tools/read.js';`],
];

/** What only the rules here see. */
const OTHER_BREACHES: readonly [breach: string, file: string, code: string][] = [
  [
    'a computed import in the sandbox',
    'workflows/turn.ts',
    `export const later = (name: string) => import(name);`,
  ],
  [
    'a type import written inline',
    'workflows/turn.ts',
    `export let model: import('../src/models/model.js').Model;`,
  ],
  [
    'a second workflow type',
    'workflows/index.ts',
    `export { agentRun } from './a.js'; export { b } from './b.js';`,
  ],
  ['whatever a workflow module exports', 'workflows/index.ts', `export * from './agent-run.js';`],
  ['no workflow type', 'workflows/index.ts', `export type { AgentRunInput } from '../src/contract/run.js';`],
  ['process.env', 'src/worker.ts', `export const url = process.env.URL;`],
  ['process.env by a literal', 'activities/index.ts', `export const url = globalThis.process['env'];`],
  ['process.env by destructuring', 'src/worker.ts', `export const { env } = process;`],
  [
    'process.env by import',
    'src/worker.ts',
    `import { env } from 'node:process'; export const url = env.URL;`,
  ],
  ['a GuardedPath out of nothing', 'src/tools/read.ts', `export const path = '/etc/passwd' as GuardedPath;`],
  ['many GuardedPaths', 'activities/a.ts', `export const paths = [''] as unknown as readonly GuardedPath[];`],
  [
    'a predicate that mints',
    'src/tools/a.ts',
    `export const is = (path: string): path is GuardedPath => !!path;`,
  ],
  ['a folder named after a kind', 'src/workspace/utils/a.ts', ``],
  ['a file named after a kind', 'src/helpers.ts', ``],
  ['a long file', 'src/long.ts', 'export {};\n'.repeat(301)],
  ['the worker in the command line', 'src/cli/main.ts', `import { createWorker } from '../worker.js';`],
];

describe('the layering', () => {
  it('holds in every file', () => {
    expect(breaches(sourceModules(FOLDERS))).toEqual([]);
  });

  it('has no folder named after a kind', () => {
    const names = sourcePaths(FOLDERS).flatMap((path) => path.split('/'));
    expect(names.filter((name) => /^(utils?|helpers?|common|misc)$/.test(name))).toEqual([]);
  });

  it.each(REFUSED_IMPORTS)('is broken in %s by %s', (file, code) => {
    expect(breaches([parseModule(file, code)])).toContainEqual(expect.stringContaining(file));
  });

  it.each(OTHER_BREACHES)('is broken by %s in %s', (_breach, file, code) => {
    expect(breaches([parseModule(file, code)])).toEqual([expect.stringContaining(file)]);
  });

  it.each([
    [
      'workflows/turn.ts',
      `import { sleep } from '@temporalio/workflow'; import { LIMITS } from '../src/contract/limits.js';`,
    ],
    ['workflows/index.ts', `export { agentRun } from './agent-run.js';`],
    ['src/cli/dev.ts', `export const run = async () => (await import('../worker.js')).createWorker();`],
    ['src/cli/dev.ts', `import type { Worker } from '../worker.js';`],
    ['src/config.ts', `export const url = process.env.URL;`],
    ['src/workspace/guard.ts', `export const mint = (path: string) => path as GuardedPath;`],
    ['src/worker.ts', `// process.env\nexport const text = 'process.env as GuardedPath';`],
  ])('allows %s: %s', (file, code) => {
    expect(breaches([parseModule(file, code)])).toEqual([]);
  });

  it('allows a long test', () => {
    expect(breaches([parseModule('test/long.test.ts', 'export {};\n'.repeat(301))])).toEqual([]);
  });

  it('is broken by a command line that loads the worker through other modules', () => {
    const modules = [
      parseModule('src/cli/main.ts', `import { start } from '../dev/start.js';`),
      parseModule('src/dev/start.ts', `import { HoldfastClient } from '../index.js';`),
      parseModule('src/index.ts', `export { createWorker } from './worker.js';`),
      parseModule('src/worker.ts', `import { executeTool } from '../activities/execute-tool.js';`),
    ];
    expect(breaches(modules)).toEqual([
      expect.stringContaining(
        'src/cli/main.ts loads src/worker.ts by src/dev/start.ts, src/index.ts, src/worker.ts',
      ),
    ]);
  });
});

describe('the lint fence', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-lint-'));
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
    for (const file of ['.oxlintrc.json', 'tsconfig.json']) copyFileSync(file, join(root, file));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  function lint(files: Record<string, string>): string {
    for (const [path, code] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), code);
    }
    const bin = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
    return spawnSync(process.execPath, [bin, '-f', 'unix', ...Object.keys(files)], {
      cwd: root,
      encoding: 'utf8',
    }).stdout;
  }

  it('refuses every import that the rules refuse', () => {
    const planted = REFUSED_IMPORTS.map(
      ([file, code], index) => [join(dirname(file), `planted-${index}.ts`), code] as const,
    );
    const report = lint(Object.fromEntries(planted)).split('\n');
    const missed = planted.filter(
      ([path]) => !report.some((line) => line.startsWith(path) && line.includes('no-restricted-imports')),
    );
    expect(missed).toEqual([]);
  });

  it('sees a promise that nobody awaits, and an async function where a sync one is expected', () => {
    const report = lint({
      'src/floating.ts':
        `async function work(): Promise<void> { await Promise.resolve(); }\nwork();\n` +
        `export const handlers: { validator: (payload: unknown) => void } = { validator: async () => { await work(); } };\n`,
    });
    expect(report).toMatch(/^src\/floating\.ts:2:.*no-floating-promises/m);
    expect(report).toMatch(/^src\/floating\.ts:3:.*no-misused-promises/m);
  });
});
