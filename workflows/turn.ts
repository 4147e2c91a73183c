import { isCancellation } from '@temporalio/workflow';
import type { CallModelResult } from '../src/contract/activities.js';
import type { CallKey, ProposedCall } from '../src/contract/call.js';
import type { TranscriptEntry } from '../src/contract/transcript.js';
import { MODEL_TEXTS } from '../src/policy/model-texts.js';
import type { ApprovalGate } from './approval-gate.js';
import { outcomeRecorded } from './run-state.js';
import type { Run } from './run.js';
import { authorize, type AuthorizedCall } from './authorize-call.js';
import { cancelled, failed, stopped, type CallEnd } from './call-end.js';
import { check, type CheckedCall } from './check-call.js';
import { execute } from './execute-call.js';
import { Lane } from './lane.js';

/**
 * Runs the calls of one turn and gives their results in the order of the calls, exactly one each
 * (`outcome:status`). Calls are checked one after another; a gated call waits without holding up the others,
 * and tools that may not run beside others run one at a time (`hitl:parallel`).
 */
export async function runCalls(
  run: Run,
  gate: ApprovalGate,
  answer: CallModelResult,
): Promise<readonly TranscriptEntry[]> {
  const { calls, text } = answer.content;
  const slots = new Lane(run.manifest.maxParallelCalls);
  const alone = new Lane(1);
  const ends: Promise<CallEnd>[] = [];

  // Recorded before the next call of the lane starts, so that a budget used up by one stops the next.
  const record = (tool: string, end: CallEnd): CallEnd => {
    run.apply(outcomeRecorded, tool, end.outcome, run.budgets);
    if (run.state.exhausted) gate.withdrawAll();
    return end;
  };
  const finish = async (checked: CheckedCall): Promise<CallEnd> => {
    const authorized = await orCancelled(authorize(run, gate, checked, text));
    const { name } = checked.tool;
    if (isEnd(authorized)) return record(name, authorized);
    const start = (): Promise<CallEnd | undefined> =>
      slots.run(async () => {
        const end = await orCancelled(execute(run, authorized));
        return end && record(name, end);
      });
    // Asked again outside of the lanes: nothing waits behind a person.
    return (await (authorized.tool.parallel ? start() : alone.run(start))) ?? finish(checked);
  };
  // A defect of ours ends the run, but only when every call that is under way has its outcome.
  const contained = (step: Promise<CallEnd>): Promise<CallEnd> =>
    step.catch((error: unknown) => {
      run.defect ??= { error };
      gate.withdrawAll();
      return cancelled();
    });

  for (const [index, call] of calls.entries()) {
    const key = { turn: run.state.turn, index };
    const checking = orCancelled(beforeAsking(run, key, call, answer));
    ends.push(
      contained(checking.then((checked) => (isEnd(checked) ? record(call.tool, checked) : finish(checked)))),
    );
    // Checked one after another; what is asked or run goes on meanwhile.
    await checking.catch(() => undefined);
  }
  const results = await Promise.all(ends);
  if (run.defect) throw run.defect.error;
  return results.map((end, index) => resultEntry(run.state.turn, index, calls[index], end));
}

async function beforeAsking(
  run: Run,
  key: CallKey,
  call: ProposedCall,
  answer: CallModelResult,
): Promise<CheckedCall | CallEnd> {
  if (run.state.exhausted || run.defect) return stopped(run);
  const { finishReason } = answer;
  if (finishReason === 'length' || finishReason === 'content_filter') {
    return failed('truncated_call', MODEL_TEXTS.truncated);
  }
  return check(run, key, call);
}

/** A cancelled call has an outcome too, so that nothing of the turn is left open when the run ends. */
async function orCancelled<T>(step: Promise<T>): Promise<T | CallEnd> {
  try {
    return await step;
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return cancelled();
  }
}

function isEnd(value: CheckedCall | AuthorizedCall | CallEnd): value is CallEnd {
  return 'outcome' in value;
}

function resultEntry(
  turn: number,
  index: number,
  call: ProposedCall | undefined,
  end: CallEnd,
): TranscriptEntry {
  return {
    kind: 'tool_result',
    call: { turn, index },
    providerCallId: call?.providerCallId ?? '',
    tool: call?.tool ?? '',
    ...end.outcome,
    text: end.text,
  };
}
