import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { describe, expect, it } from 'vitest';
import { bundleWorkflows } from '../../src/dev/bundle-workflows.js';
import { markers } from '../harness/history.js';
import { differences } from './replay-process.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HISTORIES = fileURLToPath(new URL('histories', import.meta.url));
const recorded = readdirSync(HISTORIES, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.json'))
  .toSorted();

function checksCalls(path: string): boolean {
  const json: unknown = JSON.parse(readFileSync(join(HISTORIES, path), 'utf8'));
  return markers(historyFromJSON(json), 'validateToolCall').length > 0;
}

interface Change {
  /** A compiled file of the workflow bundle. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const VALIDATE = 'const verdict = await run.room.record(';
const IMPORT = "import { uuid4 } from '@temporalio/workflow';";
const CHECK = join('workflows', 'check-call.js');
const BUDGET = join('src', 'policy', 'budget.js');

/** How the workflow code with these changes differs from every recorded history. */
async function differencesAfter(changes: readonly Change[]): Promise<ReadonlyMap<string, string | null>> {
  const tree = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-changed-')));
  try {
    for (const folder of ['workflows', join('src', 'contract'), join('src', 'policy')]) {
      await cp(join(ROOT, 'dist', folder), join(tree, folder), { recursive: true });
    }
    await cp(join(ROOT, 'package.json'), join(tree, 'package.json'));
    await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
    for (const { file, from, to } of changes) {
      const code = await readFile(join(tree, file), 'utf8');
      expect(code).toContain(from);
      await writeFile(join(tree, file), code.replace(from, to));
    }
    const codePath = join(tree, 'bundle.js');
    await writeFile(codePath, await bundleWorkflows(tree));
    const found = await differences(
      codePath,
      recorded.map((path) => join(HISTORIES, path)),
    );
    return new Map(recorded.map((path, index) => [path, found[index] ?? null]));
  } finally {
    await rm(tree, { recursive: true });
  }
}

describe('the recorded histories, on code that was changed,', () => {
  it('replay with other default budgets [run:deterministic] [H23]', async () => {
    const found = await differencesAfter([
      { file: BUDGET, from: 'maxErrors: 10', to: 'maxErrors: 1' },
      { file: BUDGET, from: 'maxConsecutiveErrors: 3', to: 'maxConsecutiveErrors: 1' },
      { file: BUDGET, from: 'maxTurns: 100', to: 'maxTurns: 1' },
    ]);
    expect([...found].filter(([, difference]) => difference !== null)).toEqual([]);
  });

  it('do not replay with a step more in every call [run:versioned]', async () => {
    const found = await differencesAfter([
      { file: CHECK, from: IMPORT, to: "import { sleep, uuid4 } from '@temporalio/workflow';" },
      { file: CHECK, from: VALIDATE, to: `await sleep(1);\n${VALIDATE}` },
    ]);
    // An execution that goes on within a turn may have no call left to check.
    const withCalls = [...found].filter(([path]) => checksCalls(path));
    expect(withCalls.length).toBeGreaterThan(recorded.length / 2);
    for (const [path, difference] of withCalls) {
      expect([path, difference]).toEqual([path, expect.stringContaining('Nondeterminism error')]);
    }
  });

  it('replay with the same step under a patch [run:versioned]', async () => {
    const found = await differencesAfter([
      { file: CHECK, from: IMPORT, to: "import { patched, sleep, uuid4 } from '@temporalio/workflow';" },
      { file: CHECK, from: VALIDATE, to: `if (patched('one-step-more')) await sleep(1);\n${VALIDATE}` },
    ]);
    expect([...found].filter(([, difference]) => difference !== null)).toEqual([]);
  });
});
