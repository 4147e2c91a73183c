import { log } from '@temporalio/workflow';
import type { BudgetExtension, ControlAnswer } from '../src/contract/control.js';
import { LIMITS } from '../src/contract/limits.js';
import { jsonBytes } from '../src/contract/json.js';
import type { RunState } from '../src/contract/run.js';
import { controlTooLarge, readControl } from '../src/policy/control-payload.js';
import { ENDING, extensionFault } from '../src/policy/extension-fault.js';
import { failure } from './run-failure.js';
import type { Run } from './run.js';
import { extended, messageQueued, paused, refreshed, resumed, revoked } from './run-state.js';

/** The update's validator: throws the refusal, which leaves no event (`run:payloads`). */
export function admitControl(payload: unknown): void {
  const fault = controlTooLarge(payload);
  if (fault !== undefined) throw failure('malformed_control', fault);
}

/** The update `controlRun`. */
export function controlByUpdate(run: Run, payload: unknown): ControlAnswer {
  run.room.spend(sizeOf(payload));
  run.steps.noteUpdate();
  return control(run, payload);
}

function sizeOf(payload: unknown): number {
  return payload === undefined ? 0 : jsonBytes(payload);
}

/**
 * Does what an operator asks of a running run (`run:control`), at once and without an activity: it changes the
 * snapshot, and the run looks at it before its next model call. Never throws, whatever the payload is.
 */
function control(run: Run, payload: unknown): ControlAnswer {
  const asked = readControl(payload);
  if ('fault' in asked) return { done: false, code: 'malformed_control', text: asked.fault };
  const { state } = run;
  switch (asked.action) {
    case 'pause':
      if (isEnding(state)) return refused(ENDING);
      if (state.pausedBy !== undefined) return refused('The run is paused already.');
      run.apply(paused, asked.by);
      break;
    case 'resume':
      if (state.pausedBy === undefined) return refused('The run is not paused.');
      run.apply(resumed);
      break;
    case 'message':
      // No model call would read it.
      if (isEnding(state)) return refused(ENDING);
      if (
        state.messages.length >= LIMITS.queuedMessages ||
        jsonBytes([...state.messages, asked.text]) > LIMITS.queuedMessagesBytes
      ) {
        return refused('Too many messages wait for the next turn. Send it again later.');
      }
      run.apply(messageQueued, asked.text);
      break;
    case 'revoke':
      if (!state.grants.some(({ tool }) => tool === asked.tool)) return refused('No grant covers this tool.');
      run.apply(revoked, asked.tool);
      break;
    case 'extendBudget': {
      const refusal = extensionRefused(run, asked.add);
      if (refusal !== undefined) return refused(refusal);
      run.apply(extended, asked.by, asked.add);
      // While a turn ends, what stopped its calls stays so to its end.
      if (state.phase === 'exhausted') run.apply(refreshed, run.budgets, Date.now());
      break;
    }
  }
  return { done: true, action: asked.action };
}

/** It has its last word, or has ended. */
function isEnding({ phase }: RunState): boolean {
  return phase === 'concluding' || phase === 'ended';
}

/** Why an operator cannot extend these budgets now, in words; undefined when nothing speaks against it. */
function extensionRefused(run: Run, add: BudgetExtension): string | undefined {
  const { exhausted, extensions } = run.state;
  return extensionFault(
    {
      budgets: run.prepared && run.budgets,
      exhausted,
      ending: isEnding(run.state),
      extensions: extensions.length,
    },
    add,
  );
}

function refused(text: string): ControlAnswer {
  return { done: false, code: 'control_refused', text };
}

/** The signal `control`: nobody is answered, so a refusal is a line in the log. */
export function controlBySignal(run: Run, payload: unknown): void {
  run.steps.note();
  const answer = control(run, payload);
  if (!answer.done) log.warn('A control was refused.', { code: answer.code });
}
