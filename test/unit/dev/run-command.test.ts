import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/dev/run-command.js';
import { stubProgram } from './stub-program.js';

describe('runCommand', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'holdfast-run-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  const run = async (script: string, timeoutMs = 30_000) =>
    runCommand(await stubProgram(root, 'program', script), [], { timeoutMs });

  it('gives the output of a program that succeeds', async () => {
    expect(await run('echo out; echo aside >&2')).toEqual({ ok: true, stdout: 'out\n' });
  });

  it.each([
    [
      'its error line',
      'echo first >&2; echo "ERROR: it is so" >&2; echo last >&2; exit 1',
      'ERROR: it is so',
    ],
    ['its last line when none says error', 'echo first >&2; echo last >&2; exit 1', 'last'],
    ['its exit code when it says nothing', 'exit 3', 'it ended with code 3'],
    ['the signal that ended it', 'kill -9 $$', 'it was ended by SIGKILL'],
    [
      'file names without their directories',
      `echo "no space: '/home/me/x.whl'" >&2; exit 1`,
      `no space: 'x.whl'`,
    ],
  ])('says why a program failed by %s', async (_, script, reason) => {
    expect(await run(script)).toEqual({ ok: false, reason });
  });

  it('says that a program could not be started', async () => {
    const result = await runCommand(join(root, 'missing'), [], { timeoutMs: 1_000 });
    expect(result).toEqual({ ok: false, reason: 'it could not be started (ENOENT)' });
  });

  it('kills a program that takes too long, with all that it started', async () => {
    // The sleeping process holds the output open, so that nothing would resolve while it lives.
    const result = await run(`trap '' TERM; sleep 600 & wait`, 1_000);
    expect(result).toEqual({ ok: false, reason: 'it took longer than 1 s' });
  });
});
