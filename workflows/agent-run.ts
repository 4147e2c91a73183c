import {
  CancellationScope,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { CallModelResult } from '../src/contract/activities.js';
import type { DecisionAnswer } from '../src/contract/decision.js';
import { APPROVAL_SIGNAL, DECIDE_UPDATE, STATUS_QUERY } from '../src/contract/names.js';
import type { AgentRun, AgentRunInput, BudgetName, RunResult, RunStatus } from '../src/contract/run.js';
import { MODEL_TEXTS } from '../src/policy/model-texts.js';
import { modelActivities, prepareRun } from './activities.js';
import { checkInput } from './check-input.js';
import { ApprovalGate } from './approval-gate.js';
import { failure, runFailure } from './run-failure.js';
import { Run } from './run.js';
import { continued, inPhase, modelAnswered, noticed, turnEnded } from './run-state.js';
import { runCalls } from './turn.js';

const approval = defineSignal<[unknown]>(APPROVAL_SIGNAL);
const decideApproval = defineUpdate<DecisionAnswer, [unknown]>(DECIDE_UPDATE);
const status = defineQuery<RunStatus>(STATUS_QUERY);

/**
 * One durable execution of an agent. Ends as completed with a RunResult, as failed with a dotted
 * `holdfast.*` failure type, or as cancelled; the workflow itself is never retried.
 */
export async function agentRun(input: AgentRunInput): Promise<RunResult> {
  checkInput(input);
  const run = new Run(input);
  const gate = new ApprovalGate(run);
  setHandler(status, () => run.status());
  setHandler(approval, (payload) => {
    gate.receive(payload);
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
    run.result = await work(run, gate, input);
    return run.result;
  } catch (error) {
    throw runFailure(error);
  } finally {
    run.apply(inPhase, 'ended');
    if (run.prepared) await CancellationScope.nonCancellable(() => gate.settled());
  }
}

async function work(run: Run, gate: ApprovalGate, input: AgentRunInput): Promise<RunResult> {
  for (;;) {
    const answer = await think(run, 'model', 'surface');
    if (answer.content.calls.length === 0) return resultOf(run, answer);
    run.apply(inPhase, 'tools');
    const results = await runCalls(run, gate, answer);
    run.apply(turnEnded, results, run.manifest.budgets);
    const { exhausted } = run.state;
    if (exhausted) return conclude(run, exhausted);
    if (shouldContinue(run)) await carryOn(run, gate, input);
  }
}

async function think(
  run: Run,
  phase: 'model' | 'concluding',
  tools: 'surface' | 'none',
): Promise<CallModelResult> {
  run.apply(inPhase, phase);
  const { prepared, state } = run;
  const answer = await modelActivities(run.manifest).callModel({
    runId: run.id,
    agent: run.agent,
    manifestDigest: prepared?.manifestDigest ?? '',
    turn: state.turn,
    head: state.head,
    append: state.append,
    tools,
  });
  run.apply(modelAnswered, answer);
  return answer;
}

/** `budget:exhausted`: one last word without tools, or a failure. */
async function conclude(run: Run, exhausted: BudgetName): Promise<RunResult> {
  if (run.manifest.budgets.onExhausted === 'fail') {
    throw failure('budget_exhausted', `The run's budget ${exhausted} is used up.`, resultOf(run, undefined));
  }
  run.apply(noticed, MODEL_TEXTS.conclude(exhausted));
  return resultOf(run, await think(run, 'concluding', 'none'));
}

function resultOf(run: Run, answer: CallModelResult | undefined): RunResult {
  const { exhausted, turn, calls, budget, head } = run.state;
  return {
    status: exhausted ? 'budget_exhausted' : 'done',
    text: answer?.content.text ?? '',
    ...(answer && { finishReason: answer.finishReason }),
    ...(exhausted && { exhausted }),
    turns: turn,
    calls,
    budget,
    head,
  };
}

function shouldContinue(run: Run): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || historyLength >= run.manifest.continueAfterEvents;
}

/** At a turn's end nothing is in flight; decisions are answered first (`run:continue-as-new`). */
async function carryOn(run: Run, gate: ApprovalGate, input: AgentRunInput): Promise<void> {
  await gate.settled();
  const { prepared, state } = run;
  if (!prepared) return;
  await continueAsNew<AgentRun>({
    request: input.request,
    carried: { prepared, state: continued(state) },
  });
}
