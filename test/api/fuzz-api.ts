import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createApi } from '../../src/api/create-api.js';
import { issueToken } from '../../src/api/issue-token.js';
import { FileTokenAuthority } from '../../src/api/token-authority.js';
import type { ApiLogLine } from '../../src/api/told.js';
import { HoldfastClient } from '../../src/client.js';
import { readConfig } from '../../src/config.js';
import { binaryPlaces } from '../../src/dev/connect-temporal.js';
import { startEmbeddedServer, stopEmbeddedServer } from '../../src/dev/embedded-server.js';
import { findPythonWithPip } from '../../src/dev/pinned-wheel.js';
import { obtainTemporal } from '../../src/dev/temporal-binary.js';
import { ScriptedModel } from '../../src/models/scripted-model.js';
import { defineAgent } from '../../src/registry/define-agent.js';
import { SHORT_RETRY } from '../../src/runs/short-retry.js';
import { KeyDirectory } from '../../src/signing/key-directory.js';
import { FileTranscriptStore } from '../../src/transcript/file-store.js';
import { createWorker } from '../../src/worker.js';
import { effectTool } from '../harness/tools.js';

// `npm run api-fuzz`, from the root of the project: schemathesis sends the running API what its description allows and
// what it forbids, once at any address and once at those of a run that waits. It ends with 1 when an answer was a 5xx
// or another than the description says. Options go on to schemathesis, such as `--max-examples 200`.

const FUZZER = 'schemathesis==4.32.5';
const AGENT = 'fuzzed';
/** Nobody is at work here that would need longer. */
const ANSWER_MS = 2_000;
const MINUTE_MS = 60_000;

Runtime.install({ logger: new DefaultLogger('ERROR') });
const directory = await mkdtemp(join(tmpdir(), 'holdfast-fuzz-'));
const stateDir = join(directory, 'state');
const options = process.argv.slice(2);
try {
  const { address } = await startEmbeddedServer({
    stateDir,
    obtainBinary: () => obtainTemporal(binaryPlaces(readConfig()), console.log),
  });
  process.exitCode = await withWorker(address, (client) => fuzz(client));
} finally {
  await stopEmbeddedServer(stateDir);
  await rm(directory, { recursive: true, force: true });
}

/** Runs the body beside a worker whose agent asks about every call. */
async function withWorker(
  address: string,
  body: (client: HoldfastClient) => Promise<number>,
): Promise<number> {
  const keys = new KeyDirectory(stateDir);
  const workspace = join(directory, 'workspace');
  await mkdir(workspace);
  const calls = Array.from({ length: 3 }, (_, at) => ({ tool: 'effect', args: { line: String(at) } }));
  const agent = defineAgent({
    name: AGENT,
    instructions: 'Wait.',
    workspace,
    model: new ScriptedModel([{ calls }, { text: 'Done.' }]),
    customTools: [effectTool('effect', 'mutation')],
  });
  const worker = await createWorker({
    agents: [agent],
    transcript: new FileTranscriptStore(join(directory, 'transcript')),
    trustedKeys: keys.trusted,
    connection: { address },
    warn: () => undefined,
  });
  const working = worker.run();
  const client = await HoldfastClient.connect({
    connection: { address, ...SHORT_RETRY },
    signer: keys,
  });
  try {
    return await body(client);
  } finally {
    worker.shutdown();
    await working;
    await client.close();
  }
}

async function fuzz(client: HoldfastClient): Promise<number> {
  const token = await issueToken(stateDir, { name: 'fuzz', roles: ['operator', 'approver', 'auditor'] });
  const defects: ApiLogLine[] = [];
  let now = Date.now();
  const api = createApi({
    client,
    tokens: new FileTokenAuthority(stateDir),
    log: (line) => void (line.status >= 500 && defects.push(line)),
    answerMs: ANSWER_MS,
    // The limits have their own tests: here every request is in a minute of its own.
    now: () => (now += MINUTE_MS),
  });
  const url = await api.listen({ host: '127.0.0.1', port: 0 });
  try {
    const runId = await client.start({ agent: AGENT, prompt: 'Wait.' }, 'run-fuzzed');
    const requestKey = await firstRequest(client, runId);
    const anywhere = await schemathesis(url, token, {});
    const there = await schemathesis(url, token, { id: runId, requestKey, tool: 'effect' });
    for (const line of defects) console.log(JSON.stringify(line));
    return anywhere || there || (defects.length > 0 ? 1 : 0);
  } finally {
    await api.close();
  }
}

async function firstRequest(client: HoldfastClient, runId: string): Promise<string> {
  for await (const event of client.follow(runId)) {
    if (event.type !== 'approval_requested') continue;
    const [request] = await client.pending(runId);
    if (request) return request.requestKey;
  }
  throw new Error('The run ended without a request.');
}

/** One pass, at addresses with these parameters; gives the exit code. */
async function schemathesis(
  url: string,
  token: string,
  parameters: Readonly<Record<string, string>>,
): Promise<number> {
  const { program, path } = await python();
  const config = join(directory, 'schemathesis.toml');
  const values = Object.entries(parameters).map(
    ([name, value]) => `${JSON.stringify(`path.${name}`)} = ${JSON.stringify(value)}\n`,
  );
  await writeFile(config, `[parameters]\n${values.join('')}`);
  const args = [
    '-m',
    'schemathesis.cli',
    '--config-file',
    config,
    'run',
    `${url}/v1/openapi.json`,
    '--header',
    `Authorization: Bearer ${token}`,
    '--phases',
    'examples,coverage,fuzzing',
    '--continue-on-failure',
    // A run refuses what no schema tells, such as a tool that its agent does not have.
    '--exclude-checks',
    'positive_data_acceptance',
    // An event stream of an open run does not end by itself.
    '--exclude-operation-id',
    'followRun',
    ...options,
  ];
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...process.env, PYTHONPATH: path },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** Fetched once, and kept beside the other programs of the tests. */
async function python(): Promise<{ readonly program: string; readonly path: string }> {
  const { searchPath, binDir } = binaryPlaces(readConfig());
  const program = await findPythonWithPip(searchPath);
  if (program === undefined) throw new Error('Install Python 3 with pip: schemathesis needs it.');
  const path = join(binDir, FUZZER.replace('==', '-'));
  if (existsSync(path)) return { program, path };
  const fresh = `${path}.${process.pid}`;
  await mkdir(binDir, { recursive: true });
  await promisify(execFile)(program, ['-m', 'pip', 'install', '--quiet', '--target', fresh, FUZZER]);
  await rename(fresh, path).catch(() => rm(fresh, { recursive: true }));
  return { program, path };
}
