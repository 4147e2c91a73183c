import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.js';
import { EXIT_CODES, exitFor } from '../../src/cli/exit-codes.js';
import { Interrupts } from '../../src/cli/interrupts.js';
import { reportFailure } from '../../src/cli/report-failure.js';
import { ERROR_CODES, HoldfastError, type ErrorCode } from '../../src/contract/error-codes.js';
import { person } from './person.js';

const MODEL = { HOLDFAST_MODEL: 'm', HOLDFAST_MODEL_BASE_URL: 'http://127.0.0.1:9/v1' };
const WRITES = { ENABLE_WRITE_TOOLS: 'true' };
const OWN = ['dev', '--workspace', '.', '--prompt', 'x'];
/** What the machine that runs the tests may have set. */
const CLEAR = {
  ...Object.fromEntries([...Object.keys(MODEL), ...Object.keys(WRITES)].map((name) => [name, ''])),
  TEMPORAL_ADDRESS: '',
  HOLDFAST_MODEL_API_KEY: '',
};

describe('a command line', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(directory, { recursive: true });
  });

  async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const stateDir = join(directory, 'state');
    for (const [name, value] of Object.entries({ ...CLEAR, ...env, HOLDFAST_STATE_DIR: stateDir })) {
      vi.stubEnv(name, value);
    }
    const { terminal, shown, complaints } = person([]);
    const interrupts = new Interrupts(() => undefined);
    const exit = await runCommandLine(args, { terminal, interrupts, settings: { debug: false } });
    return { exit, shown: shown(), complaints: complaints(), touched: existsSync(stateDir) };
  }

  it.each<[args: readonly string[], env: Readonly<Record<string, string>>, line: RegExp]>([
    [['nope'], {}, /^usage: unknown command 'nope'/],
    [['--nope'], {}, /^usage: unknown option '--nope'/],
    [['dev', '--worksapce', 'x'], {}, /^usage: .*'--worksapce' \(Did you mean --workspace\?\)/],
    [['dev', '--workspace'], {}, /^usage: .*argument missing/],
    [['dev', 'extra'], {}, /^usage: too many arguments/],
    [['doctor', '--yes'], {}, /^usage: unknown option '--yes'/],
    [['dev', '--workspace', 'x'], {}, /^invalid_config: --workspace and --prompt go together/],
    [['dev', '--prompt', 'x'], {}, /^invalid_config: --workspace and --prompt go together/],
    [['dev', '--workspace', '', '--prompt', 'x'], MODEL, /^invalid_config: .*must not be empty/],
    [['dev', '--workspace', '.', '--prompt', ' '], MODEL, /^invalid_config: .*must not be empty/],
    [OWN, {}, /^invalid_config: Your own files need a model: set HOLDFAST_MODEL_BASE_URL/],
    [OWN, { ...MODEL, ...WRITES }, /^invalid_config: There is no terminal to ask on/],
    [['dev', '--workspace', 'no-such', '--prompt', 'x'], MODEL, /^invalid_workspace: /],
    [['dev'], { ENABLE_WRITE_TOOLS: 'yes' }, /^invalid_config: ENABLE_WRITE_TOOLS/],
    [['doctor'], { HOLDFAST_MODEL: 'm' }, /^invalid_config: HOLDFAST_MODEL/],
  ])(
    'that is wrong gets one line and exit code 2, and starts nothing: %j %j [api:cli]',
    async (args, env, line) => {
      const { exit, shown, complaints, touched } = await run(args, env);
      expect(complaints).toMatch(line);
      expect(complaints.trimEnd().split('\n')).toHaveLength(1);
      expect([EXIT_CODES[exit].number, shown, touched]).toEqual([2, '', false]);
    },
  );

  it.each([
    [['--help'], /dev .*doctor/s],
    [['dev', '--help'], /--workspace .*--prompt .*--yes/s],
  ])('explains itself: %j [api:cli]', async (args, text) => {
    const { exit, shown } = await run(args);
    expect(shown).toMatch(text);
    expect(exit).toBe('ok');
  });

  it('diagnoses this machine, one line for each thing, without starting a server [api:cli]', async () => {
    const { exit, shown } = await run(['doctor']);
    expect(shown).toMatch(/^ok {3}Node\.js/m);
    expect(shown).toMatch(/^(ok|warn|FAIL) +Temporal /m);
    expect(shown).toMatch(/^warn Model .*\n +Set HOLDFAST_MODEL_BASE_URL and HOLDFAST_MODEL\.$/m);
    expect(shown).not.toContain('\u001b');
    expect(['ok', 'environment']).toContain(exit);
    expect(existsSync(join(directory, 'state', 'temporal.db'))).toBe(false);
  });
});

describe('a failure', () => {
  const told = (error: unknown, debug: boolean) => {
    const { terminal, complaints } = person([]);
    return { exit: reportFailure(error, terminal, debug), complaints: complaints() };
  };

  it('is its code and message, without a stack', () => {
    const { complaints } = told(new HoldfastError('unknown_agent', 'No such agent.\nMore.'), false);
    expect(complaints).toBe('unknown_agent: No such agent.\n');
  });

  it('that nobody foresaw is a defect, and says how to see the stack', () => {
    const { exit, complaints } = told(new Error('boom'), false);
    expect(complaints).toBe('internal_error: boom (HOLDFAST_DEBUG=true shows the stack.)\n');
    expect(EXIT_CODES[exit].number).toBe(1);
  });

  it('has its stack for debugging', () => {
    expect(told(new Error('boom'), true).complaints).toMatch(/^internal_error: boom\nError: boom\n {4}at /);
  });

  it.each<[ErrorCode, number]>([
    ['invalid_config', 2],
    ['invalid_workspace', 2],
    ['temporal_unavailable', 4],
    ['model_failed', 3],
    ['internal_error', 1],
  ])('%s ends with exit code %i', (code, number) => {
    expect(EXIT_CODES[exitFor(code)].number).toBe(number);
  });

  it('of every code has an exit code that is not 0', () => {
    const codes = Object.keys(ERROR_CODES) as ErrorCode[];
    expect(codes.filter((code) => exitFor(code) === 'ok')).toEqual([]);
  });
});

describe('the exit codes', () => {
  it('are the numbers that others rely on', () => {
    const numbers = Object.entries(EXIT_CODES).map(([name, { number }]) => [name, number]);
    expect(Object.fromEntries(numbers)).toEqual({
      ok: 0,
      failed: 1,
      usage: 2,
      not_done: 3,
      environment: 4,
      cancelled: 130,
    });
  });
});

describe('an interrupt', () => {
  it.each<[when: string, held: boolean, times: number, aborted: boolean, quits: number]>([
    ['before any work', false, 1, false, 1],
    ['during work', true, 1, true, 0],
    ['during work, twice', true, 2, true, 1],
  ])('%s: held %s, %i times, aborts %s, quits %i', (_when, held, times, aborted, quits) => {
    const quit = vi.fn<() => void>();
    const interrupts = new Interrupts(quit);
    if (held) interrupts.hold();
    for (let i = 0; i < times; i += 1) interrupts.interrupt();
    expect([interrupts.signal.aborted, quit.mock.calls.length]).toEqual([aborted, quits]);
  });
});
