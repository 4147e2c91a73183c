import type { ApprovalPolicy } from '../contract/approval-policy.js';
import { HoldfastError } from '../contract/error-codes.js';
import { isJsonObject } from '../contract/json.js';
import type { Budgets, SurfaceLists } from '../contract/manifest.js';
import type { Model } from '../models/model.js';
import { DEFAULT_BUDGETS } from '../policy/budget.js';
import { AGENT_FIELDS, agentFault, isAgentName } from './agent-fault.js';
import { didYouMean } from './near-name.js';
import type { Tool } from './tool.js';

/** What `defineAgent` takes. Everything that decides about safety is here, on the server's side. */
export interface AgentOptions {
  /** `^[A-Za-z0-9_-]{1,64}$`; names the task queue too. */
  readonly name: string;
  /** Recorded in the manifest. Default `0`. */
  readonly version?: string;
  readonly instructions: string;
  readonly model: Model;
  /** Directory, absolute or relative to the worker's directory at its start; resolved once. */
  readonly workspace: string;
  /** Names of the tools to offer, custom ones included. Omitted: all that are at hand (`surface:allow`). */
  readonly tools?: readonly string[];
  /** Removes from what is there; always wins. */
  readonly excludeTools?: readonly string[];
  /** `all` offers none; `builtin` none of the built-in ones. */
  readonly noTools?: 'all' | 'builtin';
  /** Tools that ask every time, whatever their level and whatever is granted. Default none. */
  readonly requireApprovalFor?: readonly string[];
  /** Who may decide what (`hitl:authz`, `hitl:quorum`). Default: whoever signs with a key that the worker trusts. */
  readonly approvals?: ApprovalPolicy;
  /**
   * Gitignore-style globs, relative to the workspace, that are protected besides the default ones: neither written
   * nor read, and never shown by a search. None can be taken away (`path:protected`). Default none.
   */
  readonly protectedPaths?: readonly string[];
  /** Custom tools, offered beside the built-in ones. Default none. */
  readonly customTools?: readonly Tool[];
  /** Offer edit and write. Default false (`surface:default`). */
  readonly enableWriteTools?: boolean;
  /** What is omitted has its default. */
  readonly budgets?: Partial<Budgets>;
  /** How long a request waits for a person, milliseconds. Default 24 h (`hitl:expire`). */
  readonly approvalTimeoutMs?: number;
  /** One model request, milliseconds, at most 2,147,483,647. Default 120,000. */
  readonly modelTimeoutMs?: number;
  /** Attempts of a model call whose failure may pass. Default 4. */
  readonly modelMaxAttempts?: number;
  /** Tools of one turn that run at once, those that may run beside others. Default 10 (`hitl:parallel`). */
  readonly maxParallelCalls?: number;
  /** Continue as new at a turn's end past this many history events. Default 8,000. */
  readonly continueAfterEvents?: number;
  /**
   * Keep the whole of each output that is cut for the model, at most 64 MiB each, in the transcript store, where
   * people and auditors find it by the digest in the outcome (`outcome:size`). Default false.
   */
  readonly keepWholeOutputs?: boolean;
}

/** A checked definition with every default filled in. Only `defineAgent` makes one. */
export interface Agent extends SurfaceLists, Required<Omit<AgentOptions, keyof SurfaceLists>> {
  readonly budgets: Budgets;
}

/**
 * Checks an agent's definition and fills in the defaults. Throws HoldfastError `invalid_agent`, naming the
 * field. Tools are checked when a worker takes the agent up.
 */
export function defineAgent(options: AgentOptions): Agent {
  // A module may be JavaScript, and so may what it gives.
  if (typeof options !== 'object' || options === null) throw refuse('An agent', 'must be an object');
  // What is no name may be long, or hold what a terminal obeys.
  const name = isAgentName(options.name) ? options.name : 'An agent';
  // A mistyped field would silently mean its default.
  const unknown = Object.keys(options).find((field) => !AGENT_FIELDS.includes(field));
  if (unknown !== undefined) throw refuse(name, `${unknown} is no field${didYouMean(unknown, AGENT_FIELDS)}`);
  const agent = withDefaults(options);
  const fault = agentFault(agent);
  if (fault !== undefined) throw refuse(name, fault);
  return agent;
}

/** A field that is undefined has its default too. */
function withDefaults(options: AgentOptions): Agent {
  const { version = '0', customTools = [], enableWriteTools = false, requireApprovalFor = [] } = options;
  const { protectedPaths = [], approvals = {} } = options;
  const { approvalTimeoutMs = 24 * 60 * 60 * 1000, modelTimeoutMs = 120_000 } = options;
  const { modelMaxAttempts = 4, maxParallelCalls = 10, continueAfterEvents = 8000 } = options;
  const { keepWholeOutputs = false } = options;
  return {
    ...options,
    version,
    customTools,
    enableWriteTools,
    requireApprovalFor,
    approvals,
    protectedPaths,
    approvalTimeoutMs,
    modelTimeoutMs,
    modelMaxAttempts,
    maxParallelCalls,
    continueAfterEvents,
    keepWholeOutputs,
    budgets: withDefaultBudgets(options.budgets),
  };
}

/** A budget that is undefined has its default too, and is none where there is no default. */
function withDefaultBudgets(budgets: Partial<Budgets> = {}): Budgets {
  // Judged as it is: what is no object has no members to fill in.
  if (!isJsonObject(budgets)) return budgets;
  const given = Object.entries(budgets).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_BUDGETS, ...Object.fromEntries(given) };
}

function refuse(agent: string, fault: string): HoldfastError {
  return new HoldfastError('invalid_agent', `${agent}: ${fault}.`);
}
