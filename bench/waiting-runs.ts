import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastClient, KeyDirectory, decisionFor } from 'holdfast';
import { readConfig } from '../src/config.js';
import { binaryPlaces } from '../src/dev/connect-temporal.js';
import { startEmbeddedServer, stopEmbeddedServer } from '../src/dev/embedded-server.js';
import { obtainTemporal } from '../src/dev/temporal-binary.js';
import { listWaiting, type WaitingRun } from '../src/inbox/list-waiting.js';
import { figure, spread } from './figures.js';
import { EFFECTS } from './effects.js';

// Runs that wait for people at once: what the first page of the inbox takes, that nothing is asked of a run for it,
// what the worker's memory does, and that all can be decided after worker and server were restarted.

const RUNS = Number(process.argv[2] ?? 1000);
const PAGE = 50;
const CACHED = 50;
const AT_ONCE = 20;
const WORKER = fileURLToPath(new URL('./waiting-worker.js', import.meta.url));

const directory = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
const obtainBinary = () => obtainTemporal(binaryPlaces(readConfig()), console.log);
const asked: string[] = [];
let worker: ChildProcess | undefined;
try {
  await mkdir(join(directory, 'workspace'));
  let { address } = await startEmbeddedServer({ stateDir: directory, obtainBinary });
  worker = await startWorker(address);
  let client = await connect(address);

  const memory: number[] = [];
  const began = performance.now();
  for (let started = 0; started < RUNS; started += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, RUNS - started) }, () => startOne(client));
    await Promise.all(some);
    if ((started + AT_ONCE) % (RUNS / 5) === 0) {
      await untilWaiting(client, started + AT_ONCE);
      memory.push(await heapOf(worker));
    }
  }
  await untilWaiting(client, RUNS);
  figure('runs that wait', `${RUNS} after ${((performance.now() - began) / 1000).toFixed(0)} s`);

  asked.length = 0;
  const pages: number[] = [];
  for (let times = 0; times < 30; times += 1) {
    const before = performance.now();
    const { runs } = await listWaiting(client, { limit: PAGE });
    pages.push(performance.now() - before);
    if (runs.length !== PAGE) throw new Error(`a page of ${runs.length}`);
  }
  figure(`first page of ${PAGE}`, spread(pages, 'ms'));
  figure('asked of the server for it', [...new Set(asked)].join(', '));
  const ratios = memory.map((bytes) => (bytes / (memory[0] ?? 1)).toFixed(2));
  figure(`worker's heap at each fifth, ${CACHED} runs cached`, `${ratios.join(' ')} times the first`);

  await client.close();
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  await stopEmbeddedServer(directory);
  ({ address } = await startEmbeddedServer({ stateDir: directory, obtainBinary }));
  worker = await startWorker(address);
  client = await connect(address);
  const deciding = performance.now();
  const waiting = await allWaiting(client);
  for (let first = 0; first < waiting.length; first += AT_ONCE) {
    await Promise.all(waiting.slice(first, first + AT_ONCE).map(({ runId }) => approve(client, runId)));
  }
  await untilWaiting(client, 0);
  const effects = (await readFile(join(directory, EFFECTS), 'utf8')).trim().split('\n');
  const once1 = new Set(effects).size;
  figure(
    'decided after the restart',
    `${waiting.length} in ${((performance.now() - deciding) / 1000).toFixed(0)} s`,
  );
  figure('executed', `${effects.length}, of ${once1} calls`);
  await client.close();
  if (waiting.length !== RUNS || effects.length !== RUNS || once1 !== RUNS) process.exitCode = 1;
} finally {
  worker?.kill('SIGKILL');
  await stopEmbeddedServer(directory);
  await rm(directory, { recursive: true, force: true });
}

function connect(address: string): Promise<HoldfastClient> {
  return HoldfastClient.connect({
    connection: {
      address,
      interceptors: [
        (options, nextCall) => {
          asked.push(options.method_definition.path.split('/').at(-1) ?? '');
          return nextCall(options) as never;
        },
      ],
    },
    signer: new KeyDirectory(directory),
  });
}

async function startWorker(address: string): Promise<ChildProcess> {
  const child = fork(WORKER, [address, directory, String(CACHED)], { execArgv: ['--expose-gc'] });
  await once(child, 'message');
  return child;
}

async function heapOf(child: ChildProcess): Promise<number> {
  child.send('memory');
  const [usage] = (await once(child, 'message')) as [NodeJS.MemoryUsage];
  return usage.heapUsed + usage.external;
}

function startOne(client: HoldfastClient): Promise<string> {
  return client.start({ agent: 'waiting', prompt: 'Note it.' });
}

async function allWaiting(client: HoldfastClient): Promise<readonly WaitingRun[]> {
  const found: WaitingRun[] = [];
  for (let page: string | undefined; ;) {
    const { runs, nextPage } = await listWaiting(client, { limit: 500, page });
    found.push(...runs);
    if (nextPage === undefined) return found;
    page = nextPage;
  }
}

async function untilWaiting(client: HoldfastClient, count: number): Promise<void> {
  while ((await allWaiting(client)).length !== count) await delay(500);
}

async function approve(client: HoldfastClient, runId: string): Promise<void> {
  const [request] = await client.pending(runId);
  if (!request) throw new Error('nothing waits in a listed run');
  const answer = await client.decide(runId, decisionFor(request, { decision: 'approve', approver: 'bench' }));
  if (!answer.counted) throw new Error(answer.text);
  await client.result(runId);
}
