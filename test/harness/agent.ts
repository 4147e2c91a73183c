import { mkdtemp, rm, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { DefaultLogger, Runtime, type NativeConnectionPlugin, type WorkerPlugin } from '@temporalio/worker';
import { inject, vi } from 'vitest';
import type { ApprovalRequest } from '../../src/contract/decision.js';
import { HoldfastClient } from '../../src/client.js';
import { ScriptedModel, type ScriptedTurn } from '../../src/models/scripted-model.js';
import { defineAgent, type Agent, type AgentOptions } from '../../src/registry/define-agent.js';
import type { TrustedKeys } from '../../src/signing/trusted-keys.js';
import { FileTranscriptStore } from '../../src/transcript/file-store.js';
import { createWorker, type HoldfastWorker } from '../../src/worker.js';
import type { Webhook } from '../../src/webhooks/webhooks.js';
import type { History } from './history.js';
import type { Hold } from './hold.js';
import { SERVER_KEY, trustedKeys } from './keys.js';

Runtime.install({ logger: new DefaultLogger('WARN') });

export interface TestAgentOptions extends Partial<Omit<AgentOptions, 'workspace'>> {
  readonly script: readonly ScriptedTurn[];
  /** Defines the agent at this place instead, such as an example's, which has a model of its own. */
  readonly define?: (place: { readonly name: string; readonly workspace: string }) => Agent;
  /** Files of the workspace, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Another server than the shared one. */
  readonly address?: string;
  /** Stops activities of its workers; what still waits at the end is let go. */
  readonly hold?: Hold;
  /** What else its workers are made with. */
  readonly plugins?: readonly (NativeConnectionPlugin & WorkerPlugin)[];
  /** What its workers trust, asked for each decision. Default: the tests' own key. */
  readonly trusted?: TrustedKeys;
  /** What its workers tell of requests. Default: nobody. */
  readonly webhooks?: readonly Webhook[];
}

/** An agent on a worker of this process, against a real server, with a workspace of its own. */
export interface TestAgent {
  readonly name: string;
  readonly workspace: string;
  readonly client: HoldfastClient;
  /** Plays the script; not asked when the options name another model. */
  readonly model: ScriptedModel;
  start(prompt?: string): Promise<string>;
  /** Waits until the run asks for a person and gives the oldest request. */
  request(runId: string): Promise<ApprovalRequest>;
  /** Of the execution that came last. */
  history(runId: string): Promise<History>;
  /** Of every execution of a run that has continued as new, the first one first. */
  histories(runId: string): Promise<readonly History[]>;
  /** Stops this worker and starts another, as a deploy does; with other options, and after `meanwhile`, if given. */
  redeploy(changes?: Partial<AgentOptions>, meanwhile?: () => Promise<unknown>): Promise<void>;
}

/** Runs the body with an agent of its own, and leaves nothing behind. */
export async function withAgent(
  options: TestAgentOptions,
  body: (agent: TestAgent) => Promise<void>,
): Promise<void> {
  const { script, files = {}, address = inject('temporalAddress'), ...others } = options;
  const { define, hold, plugins = [], trusted = trustedKeys, webhooks = [], ...agentOptions } = others;
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const workspace = join(directory, 'workspace');
  await mkdir(workspace);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  const name = `agent-${randomUUID().slice(0, 8)}`;
  const model = new ScriptedModel(script);
  const transcript = new FileTranscriptStore(join(directory, 'transcript'));
  const client = await HoldfastClient.connect({ connection: { address }, signer: SERVER_KEY.signer });
  const deploy = async (changes: Partial<AgentOptions> = {}): Promise<Running> => {
    const place = { name, workspace };
    const agent =
      define?.(place) ?? defineAgent({ instructions: 'Test.', model, ...place, ...agentOptions, ...changes });
    return running(
      await createWorker({
        agents: [agent],
        transcript,
        connection: { address, plugins: [...plugins, ...(hold ? [hold.plugin] : [])] },
        trustedKeys: trusted,
        webhooks,
        warn: () => undefined,
      }),
    );
  };
  let current = await deploy();
  try {
    await body({
      name,
      workspace,
      client,
      model,
      start: (prompt = 'Do it.') => client.start({ agent: name, prompt }),
      request: (runId) =>
        vi.waitFor(
          async () => {
            const [first] = await client.pending(runId);
            if (!first) throw new Error('no request yet');
            return first;
          },
          { timeout: 30_000, interval: 50 },
        ),
      history: (runId) => client.temporal.workflow.getHandle(runId).fetchHistory(),
      histories: async (runId) => {
        const found: History[] = [];
        for (let execution: string | undefined; ;) {
          const history = await client.temporal.workflow.getHandle(runId, execution).fetchHistory();
          found.unshift(history);
          const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
          if (!started?.continuedExecutionRunId) return found;
          execution = started.continuedExecutionRunId;
        }
      },
      redeploy: async (changes, meanwhile) => {
        await current.stop();
        await meanwhile?.();
        current = await deploy(changes);
      },
    });
  } finally {
    hold?.release();
    await current.stop();
    await client.close();
    await rm(directory, { recursive: true, force: true });
  }
}

interface Running {
  stop(): Promise<void>;
}

function running(worker: HoldfastWorker): Running {
  const ended = worker.run();
  return {
    stop: async () => {
      worker.shutdown();
      await ended;
    },
  };
}
