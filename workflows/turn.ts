import type { TranscriptEntry } from '../src/contract/transcript.js';
import type { CallEnd, CallUnderWay, TurnUnderWay } from '../src/contract/turn-under-way.js';
import type { ApprovalGate } from './approval-gate.js';
import { cancelled } from './call-end.js';
import { CallPath } from './call-path.js';
import { Lane } from './lane.js';
import type { Run } from './run.js';

/**
 * Runs the calls of the turn under way, each from where it stands, and gives their results in the order of the calls,
 * exactly one each (`outcome:status`). Calls are checked one after another; a gated call waits without holding up the
 * others, and tools that may not run beside others run one at a time (`hitl:parallel`).
 */
export async function runCalls(
  run: Run,
  gate: ApprovalGate,
  turn: TurnUnderWay,
): Promise<readonly TranscriptEntry[]> {
  const lanes = { slots: new Lane(run.manifest.maxParallelCalls), alone: new Lane(1) };
  const ends: Promise<CallEnd>[] = [];
  // A defect of ours ends the run, but only when every call that is under way has its outcome.
  const contained = (step: Promise<CallEnd>): Promise<CallEnd> =>
    step.catch((error: unknown) => {
      run.defect ??= { error };
      // How far this call has come stands nowhere, so no successor may go on with it.
      run.steps.end();
      gate.withdrawAll();
      return cancelled();
    });

  for (const [index, call] of turn.calls.entries()) {
    const path = new CallPath(run, gate, turn, lanes, index, call);
    const checking = path.check();
    ends.push(contained(checking.then((checked) => path.goOn(checked))));
    // Checked one after another; what is asked or run goes on meanwhile.
    await checking.catch(() => undefined);
  }
  const results = await Promise.all(ends);
  if (run.defect) throw run.defect.error;
  return results.map((end, index) => resultEntry(run.state.turn, index, turn.calls[index], end));
}

function resultEntry(
  turn: number,
  index: number,
  call: CallUnderWay | undefined,
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
