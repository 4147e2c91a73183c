import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.js';
import { Interrupts } from '../../src/cli/interrupts.js';
import { withAgent } from '../harness/agent.js';
import { effectTool } from '../harness/tools.js';
import { holdfast } from './in-process.js';
import { person } from './person.js';

const completed = async (...words: readonly string[]): Promise<readonly string[]> => {
  const { code, shown, complaints } = await holdfast(['complete-words', '--', ...words]);
  expect([code, complaints]).toEqual([0, '']);
  return shown.split('\n').filter(Boolean);
};

describe('the completion of a command line', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each<[words: readonly string[], found: readonly string[]]>([
    [['re'], ['revoke', 'resume']],
    [['complet'], ['completion']],
    [['nope'], []],
    [['tool', ''], ['check']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['follow', '--f'], ['--from']],
    [['worker', ''], []],
    [['message', 'some-run', ''], []],
    [
      ['runs', '--status', ''],
      ['running', 'completed', 'failed', 'cancelled', 'terminated', 'timed_out'],
    ],
    [['runs', '--limit', '5', '--status', 'ter'], ['terminated']],
    [['run', '--no-tools', 'b'], ['builtin']],
    [['runs', '--limit', ''], []],
  ])('offers what fits %j [api:cli]', async (words, found) => {
    expect(await completed(...words)).toEqual(found);
  });

  it('offers the ids of open runs, and of ended ones where they can be read, but none that a shell would run [api:cli]', async () => {
    const script = [{ calls: [{ tool: 'append', args: { line: 'x' } }] }, { text: 'Over.' }];
    await withAgent({ script, customTools: [effectTool('append', 'mutation')] }, async (agent) => {
      const prefix = agent.name;
      const plain = `${prefix}-1`;
      await agent.client.start({ agent: agent.name, prompt: 'x' }, plain);
      await agent.client.start({ agent: agent.name, prompt: 'x' }, `${prefix}-2;$(reboot)`);
      await vi.waitFor(async () => expect(await completed('cancel', prefix)).toEqual([plain]), {
        timeout: 30_000,
      });
      await agent.client.cancel(plain);
      await agent.client.cancel(`${prefix}-2;$(reboot)`);
      await vi.waitFor(async () => expect(await completed('cancel', prefix)).toEqual([]), {
        timeout: 30_000,
      });
      expect(await completed('show', prefix)).toEqual([plain]);
    });
  });

  it('offers the agents that had runs, and the calls that wait in a run [api:cli]', async () => {
    const script = [{ calls: [{ tool: 'append', args: { line: 'x' } }] }, { text: 'Over.' }];
    await withAgent({ script, customTools: [effectTool('append', 'mutation')] }, async (agent) => {
      const runId = await agent.start();
      await agent.request(runId);
      for (const words of [['run'], ['runs', '--agent'], ['approvals', '--limit', '5', '--agent']]) {
        await vi.waitFor(async () => expect(await completed(...words, agent.name)).toEqual([agent.name]), {
          timeout: 30_000,
        });
      }
      await vi.waitFor(
        async () => expect(await completed('approve', '--approver', 'ann', runId, '')).toEqual(['1.1']),
        { timeout: 30_000 },
      );
      expect(await completed('approve', 'no-such-run', '')).toEqual([]);
    });
  });

  it('offers no ids and says nothing when no server is there [api:cli]', async () => {
    vi.stubEnv('TEMPORAL_ADDRESS', '127.0.0.1:9');
    const { terminal, shown, complaints } = person([]);
    const context = { terminal, interrupts: new Interrupts(() => undefined), settings: { debug: false } };
    const exit = await runCommandLine(['complete-words', '--', 'show', ''], context);
    expect([exit, shown(), complaints()]).toEqual(['ok', '', '']);
  });

  it('works in a bash that has read the script [api:cli]', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
    try {
      const { shown } = await holdfast(['completion', 'bash']);
      await writeFile(join(directory, 'completion.bash'), shown);
      const program = join(directory, 'holdfast');
      await writeFile(
        program,
        `#!/bin/sh\nexec '${process.execPath}' '${resolve('dist/src/cli/main.js')}' "$@"\n`,
      );
      await chmod(program, 0o755);
      const typed = `source completion.bash
        COMP_WORDS=(holdfast re) COMP_CWORD=1
        _holdfast
        printf '%s\\n' "\${COMPREPLY[@]}"`;
      const env = { PATH: `${directory}:/usr/bin:/bin` };
      const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', typed], {
        cwd: directory,
        env,
      });
      expect([stdout, stderr]).toEqual(['revoke\nresume\n', '']);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
