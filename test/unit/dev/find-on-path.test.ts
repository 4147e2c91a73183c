import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findOnPath } from '../../../src/dev/find-on-path.js';
import { stubProgram } from './stub-program.js';

describe('findOnPath', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'holdfast-path-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  it('gives the first executable of the name', async () => {
    const [a, b] = [join(root, 'a'), join(root, 'b')];
    await stubProgram(a, 'tool', 'true');
    await stubProgram(b, 'tool', 'true');
    expect(await findOnPath('tool', [join(root, 'missing'), b, a])).toBe(join(b, 'tool'));
  });

  it('passes over a file that cannot be executed and over a directory', async () => {
    await mkdir(join(root, 'plain'));
    await writeFile(join(root, 'plain', 'tool'), '');
    await mkdir(join(root, 'directory', 'tool'), { recursive: true });
    expect(await findOnPath('tool', [join(root, 'plain'), join(root, 'directory')])).toBeUndefined();
  });

  it('passes over a relative directory, so that nothing of the working directory runs', async () => {
    await stubProgram(root, 'tool', 'true');
    expect(await findOnPath('tool', [relative(process.cwd(), root), '.'])).toBeUndefined();
  });
});
