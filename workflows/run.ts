import { workflowInfo } from '@temporalio/workflow';
import type { AgentRunInput, RunResult, RunState, RunStatus } from '../src/contract/run.js';
import type { Budgets, Manifest, PreparedRun } from '../src/contract/manifest.js';
import { extend } from '../src/policy/budget.js';
import { publish } from './publish.js';
import { initialState, rekeyed } from './run-state.js';
import { Steps } from './steps.js';
import { TaskRoom } from './task-room.js';

/** The one mutable place of a workflow: which snapshot is current, and what was recorded at the start. */
export class Run {
  readonly id = workflowInfo().workflowId;
  readonly agent: string;
  readonly startedBy: string | undefined;
  readonly room = new TaskRoom();
  readonly steps = new Steps(() => this.manifest);
  state: RunState;
  prepared: PreparedRun | undefined;
  result: RunResult | undefined;
  /** Set by a defect of Holdfast: nothing more is asked or run, and the run fails with it. */
  defect: { readonly error: unknown } | undefined;

  constructor(input: AgentRunInput) {
    this.agent = input.request.agent;
    this.startedBy = input.request.startedBy;
    this.state = input.carried ? resumedBy(input.carried) : initialState(input.request.prompt, Date.now());
    this.prepared = input.carried?.prepared;
    // The server keeps it for each execution.
    if (input.carried) this.publishFrom(initialState('', this.state.startedAt));
  }

  /** Moves to the next snapshot. What others read without asking the run follows. */
  apply<Rest extends unknown[]>(
    transition: (state: RunState, ...rest: Rest) => RunState,
    ...rest: Rest
  ): void {
    const before = this.state;
    this.state = transition(before, ...rest);
    this.publishFrom(before);
  }

  private publishFrom(before: RunState): void {
    publish(before, this.state, this.prepared?.manifest.unlisted !== true);
  }

  /** Nothing more is asked or run: a budget is used up, or there was a defect. */
  get isStopping(): boolean {
    return this.state.exhausted !== undefined || this.defect !== undefined;
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
    const { append: _, answers: _a, underWay: _u, announcing: _n, ...shown } = this.state;
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

type Carried = NonNullable<AgentRunInput['carried']>;

/**
 * A request keeps its key when the run continues as new. After a reset of the successor it is another one, so that no
 * decision counts again (`hitl:decision`).
 */
function resumedBy({ state, prepared }: Carried): RunState {
  const { runId, originalExecutionRunId } = workflowInfo();
  return runId === originalExecutionRunId ? state : rekeyed(state, runId, prepared.manifest.webhooks ?? []);
}
