import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { DCLinter } from 'dclint';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { readTools, writeTools } from '../src/tools/builtin-tools.js';
import { ToolRegistry } from '../src/registry/tool-registry.js';
import { faultsOf, imagesOf, interpolated, readCompose, readEnv, startWaves } from './compose-faults.js';
import { withClient } from './harness/temporal.js';
import { stubProgram } from './unit/dev/stub-program.js';

const text = readFileSync('docker-compose.yml', 'utf8');
const exampleText = readFileSync('.env.example', 'utf8');
const example = readEnv(exampleText);
const compose = readCompose(text);
const packageJson: { bin: { holdfast: string }; engines: { node: string } } = parse(
  readFileSync('package.json', 'utf8'),
);
const tsconfig: { include: string[] } = parse(readFileSync('tsconfig.json', 'utf8'));
const { postgres, schema, temporal, namespace, ui, worker } = compose.services;

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'holdfast-compose-'));
});
afterEach(async () => {
  await rm(scratch, { recursive: true, force: true });
});

/** The file with one passage changed. */
function planted(passage: string, by: string): string {
  if (!text.includes(passage)) throw new Error(`docker-compose.yml has no ${passage}`);
  return text.replace(passage, () => by);
}

interface LintResult {
  readonly messages: readonly { readonly rule: string; readonly message: string }[];
}

/** Style of order is left to the reader: services stand as they start. */
const RULES = {
  'services-alphabetical-order': 0,
  'service-keys-order': 0,
  'top-level-properties-order': 0,
} as const;

async function lint(compose: string): Promise<string[]> {
  const file = join(scratch, 'docker-compose.yml');
  await writeFile(file, compose);
  const linter = new DCLinter({ rules: RULES, quiet: true, debug: false, exclude: [] });
  const results: readonly LintResult[] = linter.lintFiles([file], false);
  expect(results).toHaveLength(1);
  return results.flatMap(({ messages }) => messages.map(({ rule, message }) => `${rule}: ${message}`));
}

interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

function run([file = '', ...args]: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, args, { env: { PATH: process.env['PATH'], ...env } }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** A service's command line as its container gets it. */
function commandOf({ entrypoint = [], command = [] }: typeof schema = {}): string[] {
  return [...entrypoint, ...command].map((part) => interpolated(part, example));
}

/** Programs of the scratch directory are found first. */
const scratchFirst = () => [scratch, process.env['PATH']].join(delimiter);

describe('docker-compose.yml', () => {
  it('is a Compose file without a doubt of the linter', async () => {
    expect(await lint(text)).toEqual([]);
  });

  it.each([
    ['a misspelt key', '    healthcheck:', '    healtcheck:', 'invalid-schema'],
    ['a misspelt condition', 'service_healthy', 'service_heathy', 'invalid-schema'],
    ['a misspelt top-level key', '\nvolumes:', '\nvolume:', 'invalid-schema'],
    ['a key given twice', 'name: holdfast', 'name: holdfast\nname: holdfast', 'invalid-yaml'],
    [
      'an image of no version',
      'postgres:17.11-bookworm',
      'postgres:latest',
      'service-image-require-explicit',
    ],
  ])('would not pass the linter with %s', async (_, passage, by, rule) => {
    expect(await lint(planted(passage, by))).toEqual([expect.stringContaining(rule)]);
  });

  it('is pinned, watched, ordered, closed to other machines and holds no secret', () => {
    expect(faultsOf(text, exampleText)).toEqual([]);
  });

  it.each([
    ['postgres:17.11-bookworm', 'postgres:17', 'postgres: postgres:17 is no full version.'],
    ['FROM node:20.20.2-bookworm-slim AS', 'FROM node AS', 'worker: node is no full version.'],
    [
      "'127.0.0.1:${TEMPORAL_PORT",
      "'${TEMPORAL_PORT",
      'temporal: port ${TEMPORAL_PORT:-7233}:7233 is open to other machines.',
    ],
    ['SQL_PASSWORD: ${', 'SQL_PASSWORD: hunter2 # ${', 'schema: SQL_PASSWORD is a secret written out.'],
    [
      '${HOLDFAST_MODEL_API_KEY:-}',
      '${HOLDFAST_MODEL_API_KEY:-k}',
      'worker: HOLDFAST_MODEL_API_KEY is a secret written out.',
    ],
    ['    healthcheck:', '    x-healthcheck:', 'postgres: it has no health check.'],
    ['restart: unless-stopped', 'restart: on-failure', 'postgres: it does not come back.'],
    ["restart: 'no'", 'restart: always', 'schema: a job that ends is not restarted.'],
    [
      '      schema:\n        condition: service_completed_successfully',
      '      schema:\n        condition: service_started',
      'temporal: it does not wait until schema is ready.',
    ],
    [
      '      schema:\n        condition',
      '      scheme:\n        condition',
      'temporal: it waits for scheme, which there is not.',
    ],
    [
      'image: postgres:17.11-bookworm',
      'image: postgres:17.11-bookworm\n    depends_on:\n      ui:\n        condition: service_healthy',
      'postgres, schema, temporal, namespace, ui, worker: waiting for each other.',
    ],
    [
      '"$$1" create',
      '"$1" create',
      'temporal-sql-tool --database "$1" create: Compose would take the dollar; write $$.',
    ],
    ['${HOLDFAST_WORKSPACE', '${HOLDFAST_WORKPLACE', 'HOLDFAST_WORKPLACE: not in .env.example.'],
    ['${HOLDFAST_WORKSPACE', '${HOLDFAST_WORKPLACE', 'HOLDFAST_WORKSPACE: nothing uses it.'],
    ["security_opt: ['no-new-privileges:true']", 'security_opt: []', 'schema: it may gain privileges.'],
  ])('would be found at fault with %o as %o', (passage, by, fault) => {
    expect(faultsOf(planted(passage, by), exampleText)).toContain(fault);
  });

  it('starts each service when what it needs is ready', () => {
    expect(startWaves(compose)).toEqual([
      ['postgres'],
      ['schema'],
      ['temporal'],
      ['namespace', 'ui'],
      ['worker'],
    ]);
  });

  it('has one Temporal version, and tools of that version', () => {
    const [, version] = temporal?.image?.split(':') ?? [];
    expect([schema, namespace].flatMap((service) => imagesOf(service ?? {}))).toEqual(
      Array.from({ length: 2 }, () => `temporalio/admin-tools:${version}`),
    );
  });

  it('keeps the database out of reach of the worker and of the UI', () => {
    expect([postgres?.networks, schema?.networks]).toEqual([['database'], ['database']]);
    expect([worker?.networks, ui?.networks]).toEqual([['temporal'], ['temporal']]);
    expect(postgres?.ports).toBeUndefined();
  });

  it('gives the server the dynamic configuration that lets one run go fast and none end of too large a message', () => {
    expect(parse(compose.configs['dynamic-config']?.content ?? '')).toEqual({
      'history.transferProcessorMaxPollRPS': [{ value: 500 }],
      'history.timerProcessorMaxPollRPS': [{ value: 500 }],
      'history.maxInFlightUpdatePayloads': [{ value: 2_621_440 }],
    });
  });
});

describe('.env.example', () => {
  it('cannot be used unchanged: Compose stops at the empty password', () => {
    expect(example.get('POSTGRES_PASSWORD')).toBe('');
    const uses = text.match(/\$\{POSTGRES_PASSWORD[^}]*\}/g) ?? [];
    expect(uses).toHaveLength(3);
    expect(uses.filter((use) => !use.startsWith('${POSTGRES_PASSWORD:?'))).toEqual([]);
    expect(faultsOf(text, exampleText.replace('POSTGRES_PASSWORD=', 'POSTGRES_PASSWORD=changeme'))).toEqual([
      'POSTGRES_PASSWORD: a copy of .env.example would work unchanged.',
    ]);
  });

  it('says the defaults that the Compose file has', () => {
    const defaults = [...text.matchAll(/\$\{(\w+):-([^}]*)\}/g)].map(([, name, value]) => [name, value]);
    const { POSTGRES_PASSWORD: _, ...said } = Object.fromEntries(example);
    expect(said).toEqual(Object.fromEntries(defaults));
  });

  it('is copied to a file that git ignores', async () => {
    expect((await readFile('.gitignore', 'utf8')).split('\n')).toContain('.env');
  });
});

describe('the schema job', () => {
  const STEPS = ['temporal temporal', 'temporal_visibility visibility'].flatMap((pair) => {
    const [database, name] = pair.split(' ');
    return [
      `--database ${database} create`,
      `--database ${database} setup-schema --version 0.0`,
      `--database ${database} update-schema --schema-name postgresql/v12/${name}`,
    ];
  });

  it('makes both databases and their schemas, in order', async () => {
    await stubProgram(scratch, 'temporal-sql-tool', 'echo "$@"');
    const ended = await run(commandOf(schema), { PATH: scratchFirst() });
    expect(ended).toEqual({ code: 0, stdout: STEPS.map((step) => `${step}\n`).join(''), stderr: '' });
  });

  it.each(STEPS.map((step, index) => [step, index] as const))(
    'fails when %s fails, and does nothing after it',
    async (step, index) => {
      await stubProgram(scratch, 'temporal-sql-tool', `echo "$@"; [ "$*" != "${step}" ]`);
      const { code, stdout } = await run(commandOf(schema), { PATH: scratchFirst() });
      expect(code).toBe(1);
      expect(stdout.trimEnd().split('\n')).toEqual(STEPS.slice(0, index + 1));
    },
  );
});

describe('the namespace job', () => {
  const NINETY_DAYS = 90 * 24 * 3600;
  const retention = (name: string) =>
    withClient(async ({ workflowService }) => {
      const { config } = await workflowService.describeNamespace({ namespace: name });
      return Number(config?.workflowExecutionRetentionTtl?.seconds);
    });
  const job = async (name: string) => {
    await symlink(inject('temporalBinary'), join(scratch, 'temporal')).catch(() => undefined);
    const TEMPORAL_ADDRESS = inject('temporalAddress');
    return run(commandOf(namespace), { PATH: scratchFirst(), TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE: name });
  };

  it('makes a namespace that keeps histories for 90 days, and may run again', async () => {
    const name = `compose-${randomUUID()}`;
    expect(await job(name)).toMatchObject({ code: 0 });
    expect(await retention(name)).toBe(NINETY_DAYS);
    expect(await job(name)).toMatchObject({ code: 0 });
  });

  it('leaves the retention that somebody gave the namespace', async () => {
    const name = `compose-${randomUUID()}`;
    const create = ['operator', 'namespace', 'create', '--namespace', name, '--retention', '400d'];
    const address = ['--address', inject('temporalAddress')];
    expect(await run([inject('temporalBinary'), ...create, ...address])).toMatchObject({ code: 0 });
    expect(await job(name)).toMatchObject({ code: 0 });
    expect(await retention(name)).toBe(400 * 24 * 3600);
  });

  it('fails with the reason when the server refuses, and ends', async () => {
    await stubProgram(scratch, 'temporal', 'echo "no such server" >&2; exit 1');
    await stubProgram(scratch, 'sleep', 'exit 0');
    const { code, stderr } = await run(commandOf(namespace), {
      PATH: scratchFirst(),
      TEMPORAL_NAMESPACE: 'x',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/no such server\ntemporal operator cluster health was refused 60 times/);
  });
});

describe('the worker', () => {
  const inline = worker?.build?.dockerfile_inline ?? '';
  const copied = [...inline.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = '']) =>
    from.split(' '),
  );

  it('waits for the namespace and is told where Temporal is', () => {
    expect(worker?.depends_on).toEqual({ namespace: { condition: 'service_completed_successfully' } });
    expect(worker?.environment).toMatchObject({
      TEMPORAL_ADDRESS: 'temporal:7233',
      TEMPORAL_NAMESPACE: 'default',
      HOLDFAST_STATE_DIR: '/state',
    });
  });

  it('runs the program that package.json names, with an agent module that is in the repository', () => {
    const [node, program, verb, module = ''] = commandOf(worker);
    expect([node, program, verb]).toEqual(['node', packageJson.bin.holdfast, 'worker']);
    expect(existsSync(module.replace(/^dist\//, '').replace(/\.js$/, '.ts'))).toBe(true);
  });

  it('is built from what the compiler reads, and from nothing that may hold a secret', () => {
    const sources = tsconfig.include.filter((folder) => !['test', 'bench'].includes(folder));
    expect(copied.toSorted()).toEqual(
      [...sources, 'package.json', 'package-lock.json', 'tsconfig.json'].toSorted(),
    );
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('is built on a Node.js that package.json allows and that these tests run on', () => {
    const bases = imagesOf(worker ?? {});
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:20\.\d+\.\d+-bookworm-slim$/);
    expect(packageJson.engines.node).toBe('>=20.19.0');
  });

  it('can change nothing but its state, its workspace and /tmp', () => {
    expect(worker).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] });
    expect(inline).toMatch(/^USER node$/m);
    expect(worker).toMatchObject({
      volumes: ['state:/state', '${HOLDFAST_WORKSPACE:-workspace}:/workspace'],
    });
  });

  it('is given longer to stop than its tools have to end [run:at-most-once]', () => {
    const tools = [...readTools, ...writeTools].map((tool) => ({ tool, source: 'builtin' as const }));
    const longest = Math.max(
      ...ToolRegistry.create(tools, () => undefined).all.map(({ manifest }) => manifest.timeoutMs),
    );
    const [, seconds] = /^(\d+)s$/.exec(interpolated(worker?.stop_grace_period ?? '', example)) ?? [];
    expect(Number(seconds) * 1000).toBeGreaterThanOrEqual(longest + 10_000);
  });

  // Rows of /proc/net/tcp; 1C41 is 7233.
  it.each([
    ['1: 030012AC:D4F2 020012AC:1C41 01 00000000:00000000', 0, 'connected'],
    ['1: 030012AC:D4F2 020012AC:1C41 02 00000000:00000000', 1, 'still connecting'],
    ['1: 030012AC:D4F2 020012AC:1C41 08 00000000:00000000', 1, 'left by the server'],
    ['1: 030012AC:D4F2 020012AC:01BB 01 00000000:00000000', 1, 'connected to something else'],
    ['1: 030012AC:1C41 020012AC:D4F2 01 00000000:00000000', 1, 'on that port itself'],
  ])('with %s is given health code %i: %s', async (row, code) => {
    const table = join(scratch, 'tcp');
    await writeFile(table, `  sl  local_address rem_address   st\n   ${row} 00:00000000\n`);
    const [, ...check] = worker?.healthcheck?.test ?? [];
    const here = check.map((part) => part.replace('/proc/net', scratch));
    expect((await run(here)).code === 0 ? 0 : 1).toBe(code);
  });
});
