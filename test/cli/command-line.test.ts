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
    [['worker'], {}, /^usage: missing required argument 'module'/],
    [['worker', 'no-such.js'], {}, /^invalid_module: no-such\.js: there is no such file\.\n$/],
    [['worker', 'test'], {}, /^invalid_module: test: there is no such file\.\n$/],
    [['worker', 'README.md'], {}, /^invalid_module: README\.md: a module is a file in \.js, /],
    [
      ['worker', 'examples/researcher/agent.ts'],
      { ...MODEL, HOLDFAST_WEBHOOKS: 'no-such.json' },
      /^invalid_config: The file of webhooks cannot be read/,
    ],
    [['tool', 'chek'], {}, /^usage: unknown command 'chek'.*check/],
    [['completion', 'cmd'], {}, /^usage: .*Allowed choices are bash, zsh, fish/],
    [['tool', 'check'], {}, /^usage: missing required argument 'module'/],
    [['serve', '--port', '70000'], {}, /^usage: .*from 0 to 65535/],
    [
      ['serve'],
      { HOLDFAST_IDENTITY_PROVIDER: 'no-such.json' },
      /^invalid_config: The file of the identity provider cannot be read/,
    ],
    [['token', 'create', 'ann'], {}, /^usage: .*'--role <role\.\.\.>' not specified/],
    [
      ['token', 'create', 'ann', '--role', 'admin'],
      {},
      /^usage: .*Allowed choices are operator, approver, auditor/,
    ],
    [['token', 'create', 'ann', '--role', 'auditor', '--expires-in', '1w'], {}, /^usage: .*such as 90d/],
    [['tool', 'check', 'no-such.ts'], {}, /^invalid_module: no-such\.ts: /],
    [['run', 'an agent', 'x'], {}, /^usage: .*An agent's name matches/],
    [['run', 'agent'], {}, /^usage: missing required argument 'prompt'/],
    [['run', 'agent', ' '], {}, /^invalid_start: The prompt is empty/],
    [['run', 'agent', 'x', '--id', ''], {}, /^invalid_start: --id must not be empty/],
    [['run', 'agent', 'x', '--no-tools', 'some'], {}, /^usage: .*Allowed choices are all, builtin/],
    [['run', 'agent', 'x', '--max-turns', '0'], {}, /^usage: .*It must be a whole number from 1\./],
    [['run', 'agent', 'x', '--max-turns', '1.5'], {}, /^usage: .*It must be a whole number/],
    [['run', 'agent', 'x', '--cwd', '/'], {}, /^usage: unknown option '--cwd'/],
    [['runs', '--status', 'open'], {}, /^usage: .*Allowed choices are running, /],
    [['runs', '--limit', '1001'], {}, /^usage: .*from 1 to 1000/],
    [['runs', '--agent', "' OR '"], {}, /^usage: .*An agent's name/],
    [['follow', 'some-run', '--from', '0'], {}, /^usage: .*It must be a whole number from 1\./],
    [['show'], {}, /^usage: missing required argument 'run'/],
    ...['show', 'follow', 'approvals', 'cancel', 'pause', 'resume', 'extend'].map(
      (verb): [string[], object, RegExp] => [[verb, ''], {}, /^usage: .*'run'\. It must not be empty\./],
    ),
    [['message', '', 'text'], {}, /^usage: .*'run'\. It must not be empty\./],
    [['revoke', '', 'tool'], {}, /^usage: .*'run'\. It must not be empty\./],
    [['deny', '', '1.1'], {}, /^usage: .*'request'\. It must not be empty\./],
    [['approve'], {}, /^usage: missing required argument 'request'/],
    [['approve', 'some-run'], {}, /^invalid_config: Name the request by its key, or by run and call/],
    [
      ['approve', 'some-run', '1.1'],
      {},
      /^invalid_config: The request cannot be shown here: name it by its key/,
    ],
    [['edit', 'some-run', '1.1', '--args', '{}'], {}, /^invalid_config: The request cannot be shown here/],
    [['deny', 'some-run', '0.1'], {}, /^invalid_config: A call is named as the timeline shows it/],
    [['edit', 'some-run', '1.1'], {}, /^invalid_config: There is no terminal to edit on/],
    [['edit', 'some-run', '1.1', '--args', '{'], {}, /^invalid_config: --args: This is not JSON/],
    [['edit', 'some-run', '1.1', '--args', '[]'], {}, /^invalid_config: --args: .* JSON object/],
    [['extend', 'some-run'], {}, /^invalid_config: Say what to add, such as --max-errors 5\./],
    [['extend', 'some-run', '--max-errors', '0'], {}, /^usage: .*It must be a whole number from 1\./],
    [['extend', 'some-run', '--max-errors-of', 'x'], {}, /^usage: .*such as read=3\./],
    [['message', 'some-run'], {}, /^usage: missing required argument 'text'/],
    [['show', 'x'], { TEMPORAL_ADDRESS: 'http://x' }, /^invalid_config: The address set by TEMPORAL_ADDRESS/],
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
    ['run', 'agent', 'x'],
    ['runs'],
    ['show', 'r'],
    ['follow', 'r'],
    ['approvals'],
    ['approve', 'r', '1.1', '--yes'],
    ['cancel', 'r'],
    ['pause', 'r'],
    ['serve', '--port', '0'],
  ])('that needs a server says so when none runs, and starts none: %s [api:cli]', async (...args) => {
    const { exit, shown, complaints, touched } = await run(args);
    expect(complaints).toBe(
      'temporal_unavailable: No Temporal server runs for this state directory. ' +
        '`holdfast worker MODULE` starts one, or set TEMPORAL_ADDRESS.\n',
    );
    expect([EXIT_CODES[exit].number, shown, touched]).toEqual([4, '', false]);
  });

  it.each([
    [],
    ...['dev', 'worker', 'run', 'runs', 'show', 'follow', 'approvals', 'approve', 'deny', 'edit'].map(
      (verb) => [verb],
    ),
    ...['revoke', 'message', 'extend', 'pause', 'resume', 'cancel', 'tool', 'doctor', 'completion'].map(
      (verb) => [verb],
    ),
    ['tool', 'check'],
    ['serve'],
    ['token'],
    ...['create', 'list', 'revoke'].map((verb) => ['token', verb]),
  ])('has a help that fits 80 columns: %s %s [api:cli]', async (...args) => {
    const { exit, shown } = await run([...args, '--help']);
    expect(shown).toMatch(/^Usage: holdfast /);
    expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(exit).toBe('ok');
  });

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

describe('the findings of doctor', () => {
  it('come as JSON too [api:cli]', async () => {
    const { terminal, shown } = person([]);
    const interrupts = new Interrupts(() => undefined);
    await runCommandLine(['doctor', '--json'], { terminal, interrupts, settings: { debug: false } });
    const node = { name: 'Node.js', status: 'ok', detail: process.versions.node };
    expect(JSON.parse(shown())).toMatchObject({ checks: expect.arrayContaining([node]) });
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
    ['no_worker', 4],
    ['edit_invalid', 5],
    ['digest_mismatch', 5],
    ['control_refused', 5],
    ['unknown_run', 6],
    ['run_closed', 6],
    ['unknown_request', 6],
    ['request_decided', 6],
    ['request_expired', 6],
    ['request_withdrawn', 6],
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
      refused: 5,
      not_found: 6,
      undecided: 7,
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
