import { randomUUID } from 'node:crypto';
import {
  Client,
  Connection,
  WorkflowIdReusePolicy,
  type ConnectionOptions,
  type WorkflowHandle,
} from '@temporalio/client';
import type { BudgetExtension, Control, ControlAnswer } from './contract/control.js';
import { EventFold } from './audit/event-fold.js';
import { followHistory } from './audit/follow-history.js';
import type { ApprovalRequest, Decision, DecisionAnswer } from './contract/decision.js';
import { HoldfastError } from './contract/error-codes.js';
import { LIMITS } from './contract/limits.js';
import type { FollowOptions, RunEvent } from './contract/events.js';
import type { DecisionSigner, SignedDecision } from './contract/signed-decision.js';
import type { StartRequest } from './contract/manifest.js';
import {
  APPROVAL_SIGNAL,
  DECIDE_UPDATE,
  STATUS_QUERY,
  taskQueueOf,
  WORKFLOW_TYPE,
  CONTROL_UPDATE,
} from './contract/names.js';
import type { AgentRun, RunResult, RunStatus } from './contract/run.js';
import { dataConverter } from './data-converter.js';
import { controlTooLarge } from './policy/control-payload.js';
import { admissionFault } from './policy/decision-admission.js';
import { closedText, refusalOf, isUnprocessed } from './update-refusal.js';

export interface ClientOptions {
  /** Where Temporal is, as @temporalio/client takes it. Default 127.0.0.1:7233. */
  readonly connection?: ConnectionOptions;
  /** Default `default`. */
  readonly namespace?: string;
  /** Signs what is decided through this client. Omitted: it decides only what was signed elsewhere. */
  readonly signer?: DecisionSigner;
}

/** A page of a history may be larger than gRPC's own limit of 4 MiB. */
const CHANNEL = { 'grpc.max_receive_message_length': 64 * 1024 * 1024 };

/** What a person says of a request; `decisionFor` binds it to the arguments shown. */
export type DecisionDraft = Pick<Decision, 'decision' | 'approver'> &
  Partial<Pick<Decision, 'args' | 'reason' | 'scope'>>;

/** Starts runs, reads them and decides about their calls, from any process that reaches Temporal. */
export class HoldfastClient {
  private constructor(
    private readonly connection: Connection,
    /** The Temporal client beneath, for what Holdfast does not wrap. */
    readonly temporal: Client,
    private readonly signer: DecisionSigner | undefined,
  ) {}

  static async connect(options: ClientOptions = {}): Promise<HoldfastClient> {
    const connection = await Connection.connect({ channelArgs: CHANNEL, ...options.connection });
    const namespace = options.namespace ?? 'default';
    return new HoldfastClient(
      connection,
      new Client({ connection, namespace, dataConverter }),
      options.signer,
    );
  }

  /**
   * Starts a run and gives its id. A second start under one id fails with
   * WorkflowExecutionAlreadyStartedError, also when the first has ended. Throws HoldfastError `invalid_start` for
   * a request that is too large to be sent, and for an id that is empty or longer than 256 characters.
   */
  async start(request: StartRequest, runId: string = `run-${randomUUID()}`): Promise<string> {
    if (JSON.stringify(request).length > LIMITS.startCharacters) {
      throw new HoldfastError('invalid_start', START_TOO_LARGE);
    }
    if (runId === '' || runId.length > LIMITS.runIdCharacters) {
      throw new HoldfastError('invalid_start', BAD_RUN_ID);
    }
    await this.temporal.workflow.start<AgentRun>(WORKFLOW_TYPE, {
      workflowId: runId,
      taskQueue: taskQueueOf(request.agent),
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      args: [{ request }],
    });
    return runId;
  }

  /** The state of a run, also of an ended one. Needs a worker of the agent. */
  status(runId: string): Promise<RunStatus> {
    return this.handle(runId).query<RunStatus>(STATUS_QUERY);
  }

  /** The requests that wait for a person in this run, oldest first. */
  async pending(runId: string): Promise<readonly ApprovalRequest[]> {
    return (await this.status(runId)).pending;
  }

  /**
   * Signs a decision and sends it by update; says what became of it. Refusals are answers, not errors. Waits for a
   * worker of the agent, without a limit: where none may be there, use `signalDecision`. Throws HoldfastError
   * `invalid_config` when this client has no signer; a decision that was signed elsewhere needs none.
   */
  async decide(runId: string, decision: Decision | SignedDecision): Promise<DecisionAnswer> {
    const payload = await this.signed(decision);
    const fault = admissionFault(payload);
    if (fault) return { counted: false, ...fault };
    try {
      return await this.update<DecisionAnswer>(runId, DECIDE_UPDATE, payload);
    } catch (error) {
      return refusalOf(error);
    }
  }

  /**
   * Signs a decision and sends it by signal: needs no worker now, and gets no answer. Throws HoldfastError
   * `decision_too_large` for what is too large to be sent, and as `decide` does.
   */
  async signalDecision(runId: string, decision: Decision | SignedDecision): Promise<void> {
    const payload = await this.signed(decision);
    const fault = admissionFault(payload);
    if (fault) throw new HoldfastError(fault.code, fault.text);
    await this.handle(runId).signal(APPROVAL_SIGNAL, payload);
  }

  /** What any Temporal client can send as the signal `approval` or the update `decideApproval` (`hitl:signed`). */
  async signed(decision: Decision | SignedDecision): Promise<SignedDecision> {
    if ('jws' in decision) return decision;
    if (!this.signer) throw new HoldfastError('invalid_config', NO_SIGNER);
    return { jws: await this.signer.sign(decision) };
  }

  /** Pauses a run before its next model call; what was asked for goes on (`run:control`). */
  pause(runId: string, by: string): Promise<ControlAnswer> {
    return this.control(runId, { action: 'pause', by });
  }

  resume(runId: string, by: string): Promise<ControlAnswer> {
    return this.control(runId, { action: 'resume', by });
  }

  /** Tells the model something after the tools of the turn at work. At most 64 KiB of JSON. */
  message(runId: string, text: string, by: string): Promise<ControlAnswer> {
    return this.control(runId, { action: 'message', by, text });
  }

  /** Ends the grant of a tool: its next call asks again (`hitl:grants`). */
  revoke(runId: string, tool: string, by: string): Promise<ControlAnswer> {
    return this.control(runId, { action: 'revoke', by, tool });
  }

  /**
   * Adds to budgets of a run, also of one that waits because a budget is used up and its agent says
   * onExhausted `pause`; it goes on once none is (`budget:exhausted`).
   */
  extendBudget(runId: string, add: BudgetExtension, by: string): Promise<ControlAnswer> {
    return this.control(runId, { action: 'extendBudget', by, add });
  }

  /** Asks a run to end. It ends as cancelled once its tools have been told. */
  async cancel(runId: string): Promise<void> {
    await this.handle(runId).cancel();
  }

  /** Waits for the end, over all continuations. Throws WorkflowFailedError when the run failed or was cancelled. */
  result(runId: string): Promise<RunResult> {
    return this.handle(runId).result();
  }

  /**
   * The events of a run as they happen, over all its continuations, until it ends (`events:stream`). They are
   * read from the history by long poll, so that no worker is needed and nothing is lost while nobody reads. A
   * connection that is lost is tried again, without gaps or repeats. Throws WorkflowNotFoundError for an unknown
   * run, the SDK's error when the server stays away, and HoldfastError `invalid_config` for a bad `from`.
   */
  async *follow(runId: string, options: FollowOptions = {}): AsyncGenerator<RunEvent, void> {
    const { from = 1, ...reading } = options;
    if (!Number.isSafeInteger(from) || from < 1) {
      throw new HoldfastError(
        'invalid_config',
        'from must be the number of an event, a whole number from 1.',
      );
    }
    const fold = new EventFold();
    for await (const recorded of followHistory(this.temporal, runId, reading)) {
      for (const event of fold.add(recorded)) if (event.seq >= from) yield event;
    }
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  private async control(runId: string, asked: Control): Promise<ControlAnswer> {
    const fault = controlTooLarge(asked);
    if (fault !== undefined) return { done: false, code: 'malformed_control', text: fault };
    try {
      return await this.update<ControlAnswer>(runId, CONTROL_UPDATE, asked);
    } catch (error) {
      const text = closedText(error);
      if (text === undefined) throw error;
      return { done: false, code: 'run_closed', text };
    }
  }

  /** Sent again when the server says that no worker processed it: then the run has not seen it. */
  private async update<Answer>(runId: string, name: string, payload: object): Promise<Answer> {
    for (let sent = 1; ; sent += 1) {
      try {
        return await this.handle(runId).executeUpdate<Answer, [object]>(name, { args: [payload] });
      } catch (error) {
        if (!isUnprocessed(error) || sent === MOST_SENDINGS) throw error;
      }
    }
  }

  private handle(runId: string): WorkflowHandle<AgentRun> {
    return this.temporal.workflow.getHandle<AgentRun>(runId);
  }
}

/** A decision about exactly the arguments of this request, with an id of its own. */
export function decisionFor(request: ApprovalRequest, draft: DecisionDraft): Decision {
  const { requestKey, runId, tool, argsDigest, schemaDigest } = request;
  return { requestKey, runId, tool, argsDigest, schemaDigest, decisionId: randomUUID(), ...draft };
}

/** Measured: when several large updates come at once, the server gives one up now and then. */
const MOST_SENDINGS = 5;

const NO_SIGNER =
  'This client has no key to sign with. Give HoldfastClient.connect a signer, such as that of a KeyDirectory.';
const START_TOO_LARGE = 'The start request is too large. Put what is long in a file of the workspace.';
const BAD_RUN_ID = `The id of a run has 1 to ${LIMITS.runIdCharacters} characters. Choose another.`;
