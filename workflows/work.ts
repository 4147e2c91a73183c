import { CancellationScope, condition } from '@temporalio/workflow';
import type { CallModelInput, CallModelResult } from '../src/contract/activities.js';
import type { EndedCall } from '../src/contract/call.js';
import type { BudgetName, RunResult } from '../src/contract/run.js';
import { jsonBytes } from '../src/contract/json.js';
import { MODEL_TEXTS } from '../src/policy/model-texts.js';
import { modelActivities } from './activities.js';
import type { ApprovalGate } from './approval-gate.js';
import { failure } from './run-failure.js';
import {
  inPhase,
  messagesTaken,
  modelAnswered,
  noticed,
  refreshed,
  turnBegun,
  turnEnded,
  waitsForBudget,
} from './run-state.js';
import type { Run } from './run.js';
import { runCalls } from './turn.js';

/** Turn after turn until the model has nothing more to do or a budget is used up. */
export async function work(run: Run, gate: ApprovalGate): Promise<RunResult> {
  for (;;) {
    const { underWay } = run.state;
    if (underWay) {
      const results = await runCalls(run, gate, underWay);
      run.apply(turnEnded, results, run.budgets);
      await run.steps.betweenTurns();
    }
    await readyToThink(run);
    await unlessCancelled();
    const { exhausted } = run.state;
    if (exhausted) {
      if (await extendedInTime(run)) continue;
      // An extension may have been enough for one budget and not for another.
      return conclude(run, run.state.exhausted ?? exhausted);
    }
    const result = await run.steps.do(() => oneAnswer(run));
    if (result) return result;
  }
}

/** One model call: a turn begins with it, or the run ends with it. */
async function oneAnswer(run: Run): Promise<RunResult | undefined> {
  const answer = await think(run, 'model', 'surface');
  if (answer.content.calls.length > 0) {
    run.apply(turnBegun, answer);
    return undefined;
  }
  // Somebody said something while the model was ending: it is heard first, in the last word at the latest.
  if (run.state.messages.length > 0) return undefined;
  run.steps.end();
  return resultOf(run, 'done', answer);
}

/** Throws once the run is cancelled: the end of its budget, which may come at the same time, is not what ends it. */
async function unlessCancelled(): Promise<void> {
  const { consideredCancelled, cancelRequested } = CancellationScope.current();
  if (consideredCancelled) await cancelRequested;
}

/** Waits while the run is paused, then takes in what people said (`run:control`). */
async function readyToThink(run: Run): Promise<void> {
  if (run.state.pausedBy !== undefined) {
    run.apply(inPhase, 'paused');
    await condition(() => run.state.pausedBy === undefined || run.state.exhausted !== undefined);
  }
  run.apply(messagesTaken);
}

async function think(
  run: Run,
  phase: 'model' | 'concluding',
  tools: 'surface' | 'none',
): Promise<CallModelResult> {
  run.apply(inPhase, phase);
  const { prepared, state } = run;
  const input: CallModelInput = {
    runId: run.id,
    agent: run.agent,
    manifestDigest: prepared?.manifestDigest ?? '',
    turn: state.turn,
    head: state.head,
    append: state.append,
    tools,
  };
  await run.room.take(jsonBytes(input));
  const answer = await modelActivities(run.manifest).callModel(input);
  run.apply(modelAnswered, answer, run.budgets);
  return answer;
}

/**
 * With onExhausted `pause`, waits for an operator to extend what is used up, once for its whole time however
 * often somebody extends too little (`budget:exhausted`). False when nobody did, and the run is to conclude.
 */
async function extendedInTime(run: Run): Promise<boolean> {
  const { onExhausted, exhaustedTimeoutMs } = run.manifest.budgets;
  if (onExhausted !== 'pause') return false;
  run.apply(waitsForBudget, Date.now());
  // Somebody may have extended it while the turn was ending.
  run.apply(refreshed, run.budgets, Date.now());
  const left = (run.state.exhaustedAt ?? Date.now()) + exhaustedTimeoutMs - Date.now();
  return condition(() => run.state.exhausted === undefined, Math.max(1, left));
}

/** `budget:exhausted`: one last word without tools, or a failure. */
async function conclude(run: Run, exhausted: BudgetName): Promise<RunResult> {
  if (run.manifest.budgets.onExhausted === 'fail') {
    const result: RunResult = { ...resultOf(run, 'budget_exhausted'), untold: untold(run) };
    throw failure('budget_exhausted', `The run's budget ${exhausted} is used up.`, result);
  }
  return run.steps.do(async () => {
    // What was said while the run waited for an operator is heard too.
    run.apply(messagesTaken);
    run.apply(noticed, MODEL_TEXTS.conclude(exhausted));
    const answer = await think(run, 'concluding', 'none');
    run.steps.end();
    return resultOf(run, 'budget_exhausted', answer);
  });
}

/** The history tells the end of many a call by the next model call alone (`audit:timeline`). */
function untold(run: Run): readonly EndedCall[] {
  return run.state.append.flatMap((entry) => {
    if (entry.kind !== 'tool_result') return [];
    const { call, status, code, byPolicy } = entry;
    return [{ ...call, status, ...(code && { code }), ...(byPolicy && { byPolicy }) }];
  });
}

function resultOf(run: Run, status: RunResult['status'], answer?: CallModelResult): RunResult {
  const { exhausted, turn, calls, budget, head } = run.state;
  return {
    status,
    text: answer?.content.text ?? '',
    ...(answer && { finishReason: answer.finishReason }),
    ...(status === 'budget_exhausted' && exhausted && { exhausted }),
    turns: turn,
    calls,
    budget,
    head,
  };
}
