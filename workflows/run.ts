import { workflowInfo } from '@temporalio/workflow';
import type { AgentRunInput, RunResult, RunState, RunStatus } from '../src/contract/run.js';
import type { Budgets, Manifest, PreparedRun } from '../src/contract/manifest.js';
import { extend } from '../src/policy/budget.js';
import { publish } from './publish.js';
import { initialState } from './run-state.js';
import { TaskRoom } from './task-room.js';

/** The one mutable place of a workflow: which snapshot is current, and what was recorded at the start. */
export class Run {
  readonly id = workflowInfo().workflowId;
  readonly agent: string;
  readonly startedBy: string | undefined;
  readonly room = new TaskRoom();
  state: RunState;
  prepared: PreparedRun | undefined;
  result: RunResult | undefined;
  /** Set by a defect of Holdfast: nothing more is asked or run, and the run fails with it. */
  defect: { readonly error: unknown } | undefined;

  constructor(input: AgentRunInput) {
    this.agent = input.request.agent;
    this.startedBy = input.request.startedBy;
    this.state = input.carried?.state ?? initialState(input.request.prompt, Date.now());
    this.prepared = input.carried?.prepared;
  }

  /** Moves to the next snapshot. What others read without asking the run follows. */
  apply<Rest extends unknown[]>(
    transition: (state: RunState, ...rest: Rest) => RunState,
    ...rest: Rest
  ): void {
    const before = this.state;
    this.state = transition(before, ...rest);
    publish(before, this.state, this.prepared?.manifest.unlisted !== true);
  }

  get manifest(): Manifest {
    if (!this.prepared) throw new TypeError('The run is not prepared.');
    return this.prepared.manifest;
  }

  /** As recorded, with what operators added since. */
  get budgets(): Budgets {
    return this.state.extensions.reduce((budgets, { add }) => extend(budgets, add), this.manifest.budgets);
  }

  /** Without what only the next model call and a repeated decision need: an answer has the limit of a payload. */
  status(): RunStatus {
    const { append: _append, answers: _answers, ...shown } = this.state;
    return {
      ...shown,
      runId: this.id,
      agent: this.agent,
      ...(this.prepared && {
        manifestDigest: this.prepared.manifestDigest,
        budgets: this.budgets,
      }),
      ...(this.result && { result: this.result }),
    };
  }
}
