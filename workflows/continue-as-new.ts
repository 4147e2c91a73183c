import { condition, continueAsNew, isCancellation } from '@temporalio/workflow';
import { jsonBytes } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import type { AgentRun, AgentRunInput } from '../src/contract/run.js';
import type { ApprovalGate } from './approval-gate.js';
import type { Run } from './run.js';
import { continued } from './run-state.js';

/**
 * Continues the run as new whenever it is due, between two turns or within one, but never while an activity is in
 * flight or a decision unanswered (`run:continue-as-new`). When what would be carried is too large, the run goes on and
 * tries again later. Throws what ends this execution; a run that is cancelled never continues.
 */
export async function continueWhenDue(run: Run, gate: ApprovalGate, input: AgentRunInput): Promise<never> {
  try {
    for (;;) await continueOnce(run, gate, input);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    // Its calls get their outcomes, and the run its end.
    return new Promise(() => undefined);
  }
}

/** Resolves when there is too much to be carried, or the run has its end meanwhile. */
async function continueOnce(run: Run, gate: ApprovalGate, input: AgentRunInput): Promise<void> {
  const { steps, room } = run;
  const isReady = (): boolean => steps.idle && gate.isSettled;
  await condition(() => steps.due);
  steps.hold();
  do {
    // Only now, for room that is asked for behind a running tool keeps others from theirs.
    await condition(isReady);
    await room.take(LIMITS.carriedBytes);
    // A decision may have come meanwhile: what it takes is not known, so another task is waited for.
  } while (!isReady());
  // It was held until now, unless the run has its end.
  if (!steps.due) return;
  const next = carriedBy(run, input);
  if (next && jsonBytes(next) <= LIMITS.carriedBytes) await continueAsNew<AgentRun>(next);
  steps.release();
}

function carriedBy(run: Run, { request }: AgentRunInput): AgentRunInput | undefined {
  const { prepared, state } = run;
  if (!prepared) return undefined;
  // What was asked for stands in the transcript; its beginning is for those who read this history alone.
  const prompt = request.prompt.slice(0, LIMITS.shownTextCharacters);
  return { request: { ...request, prompt }, carried: { prepared, state: continued(state) } };
}
