import {
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import type { ControlAnswer } from '../src/contract/control.js';
import type { DecisionAnswer } from '../src/contract/decision.js';
import {
  APPROVAL_SIGNAL,
  CONTROL_SIGNAL,
  CONTROL_UPDATE,
  DECIDE_UPDATE,
  STATUS_QUERY,
} from '../src/contract/names.js';
import type { AgentRunInput, RunResult, RunStatus } from '../src/contract/run.js';
import { prepareRun } from './activities.js';
import { checkInput } from './check-input.js';
import { continueWhenDue } from './continue-as-new.js';
import { Announcer } from './announcer.js';
import { ApprovalGate } from './approval-gate.js';
import { admitControl, controlBySignal, controlByUpdate } from './control.js';
import { runFailure } from './run-failure.js';
import { Run } from './run.js';
import { exhaust, inPhase } from './run-state.js';
import { work } from './work.js';

const approval = defineSignal<[unknown]>(APPROVAL_SIGNAL);
const decideApproval = defineUpdate<DecisionAnswer, [unknown]>(DECIDE_UPDATE);
const controlSignal = defineSignal<[unknown]>(CONTROL_SIGNAL);
const controlRun = defineUpdate<ControlAnswer, [unknown]>(CONTROL_UPDATE);
const status = defineQuery<RunStatus>(STATUS_QUERY);

/**
 * One durable execution of an agent. Ends as completed with a RunResult, as failed with a dotted
 * `holdfast.*` failure type, or as cancelled; the workflow itself is never retried.
 */
export async function agentRun(input: AgentRunInput): Promise<RunResult> {
  checkInput(input);
  const run = new Run(input);
  const announcer = new Announcer(run);
  const gate = new ApprovalGate(run, announcer);
  setHandler(status, () => run.status());
  setHandler(approval, (payload) => {
    gate.receive(payload);
  });
  setHandler(controlSignal, (payload) => {
    controlBySignal(run, payload);
  });
  setHandler(controlRun, (payload) => controlByUpdate(run, payload), {
    validator: (payload) => {
      admitControl(payload);
    },
  });
  setHandler(decideApproval, (payload) => gate.decide(payload), {
    validator: (payload) => {
      gate.admit(payload);
    },
  });
  try {
    run.prepared ??= await prepareRun({ runId: run.id, request: input.request });
    // Decisions are answered for as long as the run lives, in its cancellation too.
    void CancellationScope.nonCancellable(() => gate.judgeForever());
    void endInTime(run, gate);
    run.result = await Promise.race([work(run, gate), continueWhenDue(run, gate, input)]);
    return run.result;
  } catch (error) {
    throw runFailure(error);
  } finally {
    run.apply(inPhase, 'ended');
    // A continuation too: no activity may be in flight then.
    announcer.stop();
    if (run.prepared) await CancellationScope.nonCancellable(() => gate.settled());
  }
}

/** The run's own time, waiting included, over all continuations (`budget:turns`). */
async function endInTime(run: Run, gate: ApprovalGate): Promise<void> {
  const left = (): number => run.state.startedAt + (run.budgets.maxWallClockMs ?? Infinity) - Date.now();
  if (left() === Infinity) return;
  try {
    for (;;) {
      await sleep(Math.max(1, left()));
      // An operator may have given more time meanwhile, or may yet.
      if (left() > 0) continue;
      run.apply(exhaust, 'maxWallClockMs');
      gate.withdrawAll();
      await condition(() => left() > 0);
    }
  } catch {
    // The run was cancelled, which ends it too.
  }
}
