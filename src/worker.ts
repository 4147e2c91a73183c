import { createRequire } from 'node:module';
import { NativeConnection, Worker, type NativeConnectionOptions } from '@temporalio/worker';
import { createActivities } from '../activities/index.js';
import { onlyFromRuns } from '../activities/only-from-runs.js';
import { taskQueueOf } from './contract/names.js';
import { HoldfastError } from './contract/error-codes.js';
import { dataConverter } from './data-converter.js';
import type { Agent } from './registry/define-agent.js';
import { hostAgent, type HostedAgent } from './registry/hosted-agent.js';
import { ensureSearchAttribute } from './search-attribute.js';
import { NO_KEYS, type TrustedKeys } from './signing/trusted-keys.js';
import type { TranscriptStore } from './transcript/store.js';
import { checkedWebhooks, type Webhook } from './webhooks/webhooks.js';

export interface WorkerOptions {
  /** One task queue each; every agent name once. */
  readonly agents: readonly Agent[];
  /** Shared by all workers of these agents. */
  readonly transcript: TranscriptStore;
  /** Where Temporal is, as @temporalio/worker takes it. Default 127.0.0.1:7233. */
  readonly connection?: NativeConnectionOptions;
  /** Default `default`. */
  readonly namespace?: string;
  /** Where Holdfast keeps its state: protected when it lies in a workspace. Omitted: `.holdfast` is. */
  readonly stateDirectory?: string;
  /** The keys whose decisions count, such as `KeyDirectory.trusted`. Default none: nobody can decide. */
  readonly trustedKeys?: TrustedKeys;
  /**
   * Told of new requests, and of those that nobody decides, at most ten (`hitl:notify`). Every worker of an agent needs
   * the same ones; a run begins with those of the worker that prepared it. Default none.
   */
  readonly webhooks?: readonly Webhook[];
  /** Receives a line for each doubt at registration. Default: standard error. */
  readonly warn?: (line: string) => void;
  /** How many tools and model calls may run at once, for each agent. Default 100. */
  readonly maxConcurrentActivities?: number;
}

export interface HoldfastWorker {
  /** The surface of each agent, as it will be recorded. */
  readonly agents: readonly HostedAgent[];
  /** Works until `shutdown` is called; rejects when a worker fails for good. */
  run(): Promise<void>;
  /** Takes no new work and gives running tools their time to end. */
  shutdown(): void;
}

/** Time for a tool's outcome to be reported after its own time is over. */
const SHUTDOWN_MARGIN_MS = 5_000;

/**
 * A worker for these agents. Workspaces are resolved and tools compiled first: a definition that is refused
 * throws a HoldfastError here, before anything is polled, and so does a webhook, with `invalid_config`.
 */
export async function createWorker(options: WorkerOptions): Promise<HoldfastWorker> {
  const { agents, transcript, namespace = 'default', maxConcurrentActivities = 100 } = options;
  const { warn = toStandardError, stateDirectory, trustedKeys = NO_KEYS } = options;
  const webhooks = checkedWebhooks(options.webhooks ?? []);
  const hosted: HostedAgent[] = [];
  for (const agent of agents) {
    if (hosted.some((other) => other.agent.name === agent.name)) {
      throw new HoldfastError('invalid_agent', `${agent.name}: two agents of one worker have this name.`);
    }
    hosted.push(await hostAgent(agent, { warn, ...(stateDirectory !== undefined && { stateDirectory }) }));
  }
  const connection = await NativeConnection.connect(options.connection ?? {});
  const codePath = createRequire(import.meta.url).resolve('holdfast/workflow-bundle');
  const workers: Worker[] = [];
  const shutdown = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  try {
    const listed = await ensureSearchAttribute(connection, namespace);
    for (const host of hosted) {
      workers.push(
        await Worker.create({
          connection,
          namespace,
          taskQueue: taskQueueOf(host.agent.name),
          workflowBundle: { codePath },
          dataConverter,
          activities: createActivities({
            agentOf: agentOf(hosted),
            transcript,
            trustedKeys,
            listed,
            webhooks,
          }),
          interceptors: { activity: [onlyFromRuns] },
          maxConcurrentActivityTaskExecutions: maxConcurrentActivities,
          // Measured: a dead worker's runs go on after 2 to 3 s instead of 10.
          stickyQueueScheduleToStartTimeout: '1 second',
          // A cancellation reaches a tool with its next heartbeat that is really sent.
          maxHeartbeatThrottleInterval: '1 second',
          shutdownGraceTime: longestTool(host) + SHUTDOWN_MARGIN_MS,
        }),
      );
    }
  } catch (error) {
    // Refused while a worker that never ran still holds it; the error at hand is the one to read.
    await connection.close().catch(() => undefined);
    throw error;
  }
  return { agents: hosted, run: () => runAll(workers, shutdown, connection), shutdown };
}

/** One worker that fails for good stops the others, which end what they have begun. */
async function runAll(
  workers: readonly Worker[],
  shutdown: () => void,
  connection: NativeConnection,
): Promise<void> {
  const runs = workers.map((worker) =>
    worker.run().catch((error: unknown) => {
      shutdown();
      throw error;
    }),
  );
  const ends = await Promise.allSettled(runs);
  await connection.close();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

function toStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}

function agentOf(hosted: readonly HostedAgent[]): (name: string) => HostedAgent {
  return (name) => {
    const found = hosted.find((host) => host.agent.name === name);
    if (!found) throw new HoldfastError('unknown_agent', 'This worker holds no agent of this name.');
    return found;
  };
}

function longestTool({ registry }: HostedAgent): number {
  return Math.max(0, ...registry.all.map((tool) => tool.manifest.timeoutMs));
}
