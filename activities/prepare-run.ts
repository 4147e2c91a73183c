import { randomBytes } from 'node:crypto';
import type { PrepareRunInput } from '../src/contract/activities.js';
import type { RecordedWebhook } from '../src/contract/announcement.js';
import { HoldfastError } from '../src/contract/error-codes.js';
import { LIMITS } from '../src/contract/limits.js';
import {
  START_SCHEMA,
  type Manifest,
  type PreparedRun,
  type StartRequest,
} from '../src/contract/manifest.js';
import { CWD_NOT_PERMITTED } from '../src/contract/names.js';
import { narrowBudgets } from '../src/policy/narrow-budgets.js';
import { compileSchema } from '../src/registry/schema-validator.js';
import { BUILTIN_NAMES, checkNames, resolveSurface } from '../src/registry/surface.js';
import type { TranscriptStore } from '../src/transcript/store.js';
import { lackingApprovers } from '../src/registry/check-approvers.js';
import type { HostedAgent } from '../src/registry/hosted-agent.js';
import type { CheckedWebhook } from '../src/webhooks/webhooks.js';
import { asActivityFailure } from './failures.js';

export interface PrepareRunDeps {
  readonly agentOf: (name: string) => HostedAgent;
  readonly transcript: TranscriptStore;
  /** Whether the namespace knows the search attribute of what waits. Default true. */
  readonly listed?: boolean;
  readonly webhooks: readonly CheckedWebhook[];
}

/** Resolves the agent on this worker and records what decides for the whole run (`risk:pinned`). */
export function createPrepareRun(deps: PrepareRunDeps) {
  return async function prepareRun({ request }: PrepareRunInput): Promise<PreparedRun> {
    try {
      checkStart(request);
      const { listed = true } = deps;
      const known = manifestOf(deps.agentOf(request.agent), request, deps.webhooks);
      const manifest: Manifest = { ...known, ...(!listed && { unlisted: true }) };
      if (Buffer.byteLength(JSON.stringify(manifest)) > LIMITS.manifestBytes) throw tooLarge();
      const manifestDigest = await deps.transcript.put({ ...manifest });
      return { manifest, manifestDigest };
    } catch (error) {
      throw asActivityFailure(error);
    }
  };
}

const NO_STARTER =
  'Whoever starts a run of this agent may not decide in it: name them in startedBy, such as by --as.';

function tooLarge(): HoldfastError {
  const text = `The agent's tools and instructions have more than ${LIMITS.manifestBytes} bytes. Offer fewer tools.`;
  return new HoldfastError('invalid_agent', text);
}

const fault = compileSchema(START_SCHEMA);

/** A start names the agent and the task, and narrows what the server configures (`surface:narrow-only`). */
function checkStart(request: StartRequest): void {
  if (Object.hasOwn(request, 'cwd')) throw new HoldfastError('cwd_not_permitted', CWD_NOT_PERMITTED);
  const wrong = fault(request);
  if (wrong !== undefined)
    throw new HoldfastError('invalid_start', `This is not a start request. ${wrong.text}`);
  if (Buffer.byteLength(request.prompt) > LIMITS.promptBytes) {
    const text = `A prompt has at most ${LIMITS.promptBytes} bytes. Put the rest in a file.`;
    throw new HoldfastError('invalid_start', text);
  }
}

function manifestOf(
  { agent, surface, registry, workspace }: HostedAgent,
  request: StartRequest,
  webhooks: readonly CheckedWebhook[],
): Manifest {
  const known = [...registry.names, ...BUILTIN_NAMES];
  const narrowed = narrowBudgets(agent.budgets, request.budgets ?? {});
  if ('widened' in narrowed) {
    const text = `A start may lower ${narrowed.widened}, never raise it: the agent allows ${narrowed.most}.`;
    throw new HoldfastError('surface_widened', text);
  }
  checkNames(request.requireApprovalFor ?? [], known);
  if (agent.approvals.requesterMayNotApprove && request.startedBy === undefined) {
    throw new HoldfastError('invalid_start', NO_STARTER);
  }
  const tools = resolveSurface(surface, request, known);
  const requireApprovalFor = [
    ...new Set([...agent.requireApprovalFor, ...(request.requireApprovalFor ?? [])]),
  ];
  const { approvals } = agent;
  const starter = approvals.requesterMayNotApprove ? request.startedBy : undefined;
  const lacking = lackingApprovers({ approvals, requireApprovalFor }, tools, starter);
  if (lacking !== undefined) {
    const text = `Nobody could let this run's tools run: approvals leaves ${lacking}. Exclude the tool, or have another start it.`;
    throw new HoldfastError('invalid_start', text);
  }
  return {
    version: 1,
    agent: { name: agent.name, version: agent.version },
    modelId: agent.model.id,
    instructions: agent.instructions,
    tools,
    budgets: narrowed.budgets,
    approvalTimeoutMs: agent.approvalTimeoutMs,
    modelTimeoutMs: agent.modelTimeoutMs,
    modelMaxAttempts: agent.modelMaxAttempts,
    protectedPaths: workspace.protectedPaths,
    requireApprovalFor,
    approvals,
    ...(webhooks.length > 0 && { webhooks: webhooks.map(recordedAs) }),
    maxParallelCalls: agent.maxParallelCalls,
    continueAfterEvents: agent.continueAfterEvents,
    ...(agent.keepWholeOutputs && { keepWholeOutputs: true }),
    workspaceDigest: workspace.digest,
    salt: randomBytes(16).toString('hex'),
  };
}

/** By name alone: neither URL nor secret belongs into a history. */
function recordedAs({ name, includeArguments }: CheckedWebhook): RecordedWebhook {
  return { name, ...(includeArguments && { includeArguments: true }) };
}
