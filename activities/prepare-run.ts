import { randomBytes } from 'node:crypto';
import type { PrepareRunInput } from '../src/contract/activities.js';
import { HoldfastError } from '../src/contract/error-codes.js';
import { isJsonObject } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import type { Manifest, PreparedRun } from '../src/contract/manifest.js';
import { CWD_NOT_PERMITTED } from '../src/contract/names.js';
import type { TranscriptStore } from '../src/transcript/store.js';
import type { HostedAgent } from '../src/registry/hosted-agent.js';
import { asActivityFailure } from './failures.js';

export interface PrepareRunDeps {
  readonly agentOf: (name: string) => HostedAgent;
  readonly transcript: TranscriptStore;
}

/** Resolves the agent on this worker and records what decides for the whole run (`risk:pinned`). */
export function createPrepareRun(deps: PrepareRunDeps) {
  return async function prepareRun({ request }: PrepareRunInput): Promise<PreparedRun> {
    try {
      checkStart(request);
      const manifest = manifestOf(deps.agentOf(request.agent));
      if (Buffer.byteLength(JSON.stringify(manifest)) > LIMITS.manifestBytes) throw tooLarge();
      const manifestDigest = await deps.transcript.put({ ...manifest });
      return { manifest, manifestDigest };
    } catch (error) {
      throw asActivityFailure(error);
    }
  };
}

function tooLarge(): HoldfastError {
  const text = `The agent's tools and instructions have more than ${LIMITS.manifestBytes} bytes. Offer fewer tools.`;
  return new HoldfastError('invalid_agent', text);
}

/** A start names the agent and the task, and nothing that the server configures (`surface:narrow-only`). */
function checkStart(request: unknown): void {
  if (!isJsonObject(request)) throw new HoldfastError('invalid_start', 'A start request is a JSON object.');
  if (Object.hasOwn(request, 'cwd')) throw new HoldfastError('cwd_not_permitted', CWD_NOT_PERMITTED);
  const { agent, prompt, ...others } = request;
  if (typeof agent !== 'string') throw new HoldfastError('invalid_start', 'A start request names its agent.');
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw new HoldfastError('invalid_start', 'A start request has a prompt that is not empty.');
  }
  if (Buffer.byteLength(prompt) > LIMITS.promptBytes) {
    throw new HoldfastError(
      'invalid_start',
      `A prompt has at most ${LIMITS.promptBytes} bytes. Put the rest in a file.`,
    );
  }
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new HoldfastError(
      'invalid_start',
      'A start request has agent and prompt only. Remove the other members.',
    );
  }
}

function manifestOf({ agent, registry, workspace }: HostedAgent): Manifest {
  return {
    version: 1,
    agent: { name: agent.name, version: agent.version },
    modelId: agent.model.id,
    instructions: agent.instructions,
    tools: registry.all.map((tool) => tool.manifest),
    budgets: agent.budgets,
    approvalTimeoutMs: agent.approvalTimeoutMs,
    modelTimeoutMs: agent.modelTimeoutMs,
    modelMaxAttempts: agent.modelMaxAttempts,
    protectedPaths: workspace.protectedPaths,
    continueAfterEvents: agent.continueAfterEvents,
    workspaceDigest: workspace.digest,
    salt: randomBytes(16).toString('hex'),
  };
}
