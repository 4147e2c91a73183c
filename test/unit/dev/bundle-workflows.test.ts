import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundleWorkflows } from '../../../src/dev/bundle-workflows.js';

const CONVERTER = `export const payloadConverter = { toPayload() {}, fromPayload() {} };`;

describe('bundleWorkflows', { timeout: 60_000 }, () => {
  let dist: string;
  beforeEach(async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-bundle-')));
    await symlink(resolve('node_modules'), join(root, 'node_modules'));
    dist = join(root, 'dist');
  });
  afterEach(() => rm(dirname(dist), { recursive: true }));

  async function compiled(files: Record<string, string>): Promise<void> {
    const tree = {
      'package.json': '{"type":"module"}',
      'src/contract/payload-converter.js': CONVERTER,
      ...files,
    };
    for (const [path, code] of Object.entries(tree)) {
      await mkdir(dirname(join(dist, path)), { recursive: true });
      await writeFile(join(dist, path), code);
    }
  }

  it('bundles workflows, contract, policy and the two packages, source map inline', async () => {
    await compiled({
      'workflows/index.js': `export { agentRun } from './agent-run.js';`,
      'workflows/agent-run.js':
        `import { sleep } from '@temporalio/workflow';\nimport { ValueError } from '@temporalio/common';\n` +
        `import { risk } from '../src/policy/risk.js';\nexport const agentRun = () => [sleep, ValueError, risk];`,
      'src/policy/risk.js': `export { names as risk } from '../contract/names.js';`,
      'src/contract/names.js': `export const names = 'marker-of-the-contract';`,
    });
    const code = await bundleWorkflows(dist);
    expect(code).toContain('marker-of-the-contract');
    expect(code).toContain('//# sourceMappingURL=data:application/json');
  });

  it('names every module that may not come in, and its importer', async () => {
    await compiled({
      'workflows/index.js':
        `export { agentRun } from './agent-run.js';\nimport 'node:fs';\nimport 'os';\nimport 'stray';\n` +
        `import '@temporalio/activity';\nimport '../src/policy/risk.js';`,
      'workflows/agent-run.js': `export const agentRun = () => import('../src/tools/read.js');`,
      'src/policy/risk.js': `import '../registry/tool.js';`,
      'src/registry/tool.js': `import '../tools/deeper.js';`,
      'src/tools/read.js': `export const read = 1;`,
      'src/tools/deeper.js': ``,
      'node_modules/stray/index.js': ``,
    });
    const error: unknown = await bundleWorkflows(dist).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(String(error).split('\n').slice(1).toSorted()).toEqual([
      '  @temporalio/activity (ignored), imported by workflows/index.js',
      '  node:fs, imported by workflows/index.js',
      '  node_modules/stray/index.js, imported by workflows/index.js',
      '  os (ignored), imported by workflows/index.js',
      '  src/registry/tool.js, imported by src/policy/risk.js',
      '  src/tools/read.js, imported by workflows/agent-run.js',
    ]);
  });
});
