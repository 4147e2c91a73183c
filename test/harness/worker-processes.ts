import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, vi } from 'vitest';
import { HoldfastClient } from '../../src/client.js';
import type { ApprovalRequest } from '../../src/contract/decision.js';
import type { ScriptedAnswer } from '../../src/models/scripted-model.js';
import { ATTEMPTS_FILE, EFFECTS_FILE } from './gated-agent.js';
import { Gates } from './gates.js';
import { SERVER_KEY } from './keys.js';
import type { WorkerProcessOptions } from './worker-process.js';

const PROGRAM = fileURLToPath(new URL('../../dist/test/harness/worker-process.js', import.meta.url));
/** For what hangs: a lost model call is noticed after 10 s, on a machine that may be busy. */
const PATIENCE = { timeout: 60_000, interval: 50 };

/** A gated agent whose workers are processes that can be killed. */
export interface ProcessAgent {
  readonly name: string;
  readonly gates: Gates;
  /** Default: of the server that all tests share, and cached. */
  startWorker(
    options?: Partial<Pick<WorkerProcessOptions, 'address' | 'cached' | 'approvalTimeoutMs'>>,
  ): WorkerProcess;
  /** Waits until someone stands at the gate, for the first time or as often as said. */
  stopAt(gate: string, times?: number): Promise<void>;
  /** Lines `<line> <idempotency key> <attempt>`, one for each time a tool was started. */
  attempts(): Promise<readonly string[]>;
  /** Lines `<line> <idempotency key>`, one for each effect. */
  effects(): Promise<readonly string[]>;
}

export interface WorkerProcess {
  /** Ends it by SIGKILL: it can do nothing more. */
  kill(): Promise<void>;
  /** Ends it as a deploy does. */
  stop(): Promise<void>;
}

/** Runs the body with a gated agent; ends its processes and leaves nothing behind. */
export async function withProcessAgent(
  script: readonly ScriptedAnswer[],
  body: (agent: ProcessAgent) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const workspace = join(directory, 'workspace');
  const gates = new Gates(join(directory, 'gates'));
  const name = `agent-${randomUUID().slice(0, 8)}`;
  const children: ChildProcess[] = [];
  await mkdir(workspace);
  await mkdir(join(directory, 'gates'));
  try {
    await body({
      name,
      gates,
      startWorker: (changes = {}) => {
        const shared = { agent: name, address: inject('temporalAddress'), directory, script, cached: true };
        const options: WorkerProcessOptions = { ...shared, ...changes };
        const child = fork(PROGRAM, [JSON.stringify(options)], { execArgv: [] });
        children.push(child);
        return { kill: () => end(child, 'SIGKILL'), stop: () => end(child, 'SIGTERM') };
      },
      stopAt: async (gate, times = 1) => {
        await vi.waitUntil(async () => (await gates.stops(gate)) >= times, PATIENCE);
      },
      attempts: () => lines(join(workspace, ATTEMPTS_FILE)),
      effects: () => lines(join(workspace, EFFECTS_FILE)),
    });
  } finally {
    await Promise.all(children.map((child) => end(child, 'SIGKILL')));
    await rm(directory, { recursive: true, force: true });
  }
}

/** A client of its own, closed after the body. Default: of the server that all tests share. */
export async function withHoldfast<T>(
  body: (client: HoldfastClient) => Promise<T>,
  address: string = inject('temporalAddress'),
): Promise<T> {
  const client = await HoldfastClient.connect({ connection: { address }, signer: SERVER_KEY.signer });
  try {
    return await body(client);
  } finally {
    await client.close();
  }
}

/** Waits until the run asks for a person and gives the oldest request. */
export function firstRequest(client: HoldfastClient, runId: string): Promise<ApprovalRequest> {
  return vi.waitFor(async () => {
    const [first] = await client.pending(runId);
    if (!first) throw new Error('no request yet');
    return first;
  }, PATIENCE);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

async function lines(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').slice(0, -1);
}
