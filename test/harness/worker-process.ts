import { join } from 'node:path';
import { DefaultLogger, Runtime, type NativeConnectionPlugin, type WorkerPlugin } from '@temporalio/worker';
import type { ScriptedAnswer } from '../../src/models/scripted-model.js';
import { FileTranscriptStore } from '../../src/transcript/file-store.js';
import { createWorker } from '../../src/worker.js';
import { gatedAgent, gatedStore } from './gated-agent.js';
import { Gates } from './gates.js';
import { trustedKeys } from './keys.js';

/** What a worker process is told by its one argument, as JSON. */
export interface WorkerProcessOptions {
  readonly agent: string;
  readonly address: string;
  /** Holds `workspace`, `transcript` and `gates`, shared by the agent's worker processes. */
  readonly directory: string;
  readonly script: readonly ScriptedAnswer[];
  /** False: the worker keeps no workflow in memory between two tasks. */
  readonly cached: boolean;
  /** Of the agent, milliseconds. Default 24 h. */
  readonly approvalTimeoutMs?: number;
}

// The whole process: a worker of the gated agent, as built. It ends with the process that forked it.
Runtime.install({ logger: new DefaultLogger('ERROR') });
process.on('disconnect', () => process.exit());
const { agent, address, directory, script, cached, ...policies } = JSON.parse(
  process.argv[2] ?? '',
) as WorkerProcessOptions;
const gates = new Gates(join(directory, 'gates'));
const forgetful: NativeConnectionPlugin & WorkerPlugin = {
  name: 'forgetful',
  configureWorker: (options) => ({ ...options, maxCachedWorkflows: 0 }),
};
const worker = await createWorker({
  agents: [gatedAgent(agent, join(directory, 'workspace'), script, gates, policies)],
  transcript: gatedStore(new FileTranscriptStore(join(directory, 'transcript')), gates),
  trustedKeys,
  connection: { address, plugins: cached ? [] : [forgetful] },
});
process.on('SIGTERM', () => worker.shutdown());
await worker.run();
process.exit();
