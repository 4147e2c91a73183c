import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkflowFailedError } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { HoldfastClient } from '../../src/client.js';
import { readConfig } from '../../src/config.js';
import { binaryPlaces } from '../../src/dev/connect-temporal.js';
import { startEmbeddedServer, stopEmbeddedServer } from '../../src/dev/embedded-server.js';
import { obtainTemporal } from '../../src/dev/temporal-binary.js';
import { ScriptedModel } from '../../src/models/scripted-model.js';
import { defineAgent } from '../../src/registry/define-agent.js';
import { FileTranscriptStore } from '../../src/transcript/file-store.js';
import { createWorker } from '../../src/worker.js';
import type { History } from '../harness/history.js';
import { SERVER_KEY, trustedKeys } from '../harness/keys.js';
import { KINDS, type Kind } from './kinds.js';

// `npm run record-histories`, from the root of the project: runs an agent of every kind against an embedded
// server of its own and writes test/replay/histories/<version>/<kind>.json, one file for each continuation.
// Recorded once for a version and then kept: later code must replay them.

Runtime.install({ logger: new DefaultLogger('ERROR') });
const directory = await mkdtemp(join(tmpdir(), 'holdfast-record-'));
const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
const target = join('test', 'replay', 'histories', version);
/** Takes every announcement. */
const receiver = createServer((_request, response) => response.writeHead(204).end());
try {
  const { address } = await startEmbeddedServer({
    stateDir: join(directory, 'state'),
    obtainBinary: () => obtainTemporal(binaryPlaces(readConfig()), console.log),
  });
  await mkdir(target, { recursive: true });
  receiver.listen(0, '127.0.0.1');
  for (const kind of KINDS) await record(kind, address);
} finally {
  receiver.close();
  await stopEmbeddedServer(join(directory, 'state'));
  await rm(directory, { recursive: true, force: true });
}

async function record(kind: Kind, address: string): Promise<void> {
  const workspace = join(directory, kind.name);
  await mkdir(workspace);
  await writeFile(join(workspace, 'notes.txt'), 'one line\n');
  const name = `records-${kind.name}`;
  const model = new ScriptedModel(kind.script);
  const agent = defineAgent({ name, instructions: 'Record.', model, workspace, ...kind.agent });
  const transcript = new FileTranscriptStore(join(directory, 'transcript'));
  const { port } = receiver.address() as AddressInfo;
  const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
  const worker = await createWorker({
    agents: [agent],
    transcript,
    trustedKeys,
    connection: { address },
    webhooks: kind.announces ? [{ name: 'ops', url: `http://127.0.0.1:${port}`, secret }] : [],
  });
  const working = worker.run();
  const client = await HoldfastClient.connect({ connection: { address }, signer: SERVER_KEY.signer });
  try {
    const runId = await client.start({ agent: name, prompt: 'Do it.' }, `run-${kind.name}`);
    await kind.people?.(client, runId);
    await client.result(runId).catch((error: unknown) => {
      if (!(error instanceof WorkflowFailedError)) throw error;
    });
    await write(client, kind, runId);
  } finally {
    worker.shutdown();
    await working;
    await client.close();
  }
}

/** The first execution of a run under the kind's name, its continuations under that and their number. */
async function write(client: HoldfastClient, kind: Kind, runId: string): Promise<void> {
  const executions: History[] = [];
  let execution: string | undefined;
  do {
    const history = await client.temporal.workflow.getHandle(runId, execution).fetchHistory();
    executions.unshift(history);
    execution =
      history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  } while (execution !== undefined);
  for (const [number, history] of executions.entries()) {
    // Worker identities and sticky queues hold the names of this machine and process.
    const json = historyToJSON(history).replaceAll(`${process.pid}@${hostname()}`, 'recorder');
    const file = join(target, `${kind.name}${number === 0 ? '' : `.${number}`}.json`);
    await writeFile(file, `${json}\n`);
    console.log(`${file}: ${history.events?.length ?? 0} events`);
  }
}
