import { uuid4 } from '@temporalio/workflow';
import type { CallKey, ProposedCall } from '../src/contract/call.js';
import type { AllowedPaths, ApprovalRequest, ValidArguments } from '../src/contract/decision.js';
import type { JsonObject } from '../src/contract/json.js';
import type { ManifestTool } from '../src/contract/manifest.js';
import { isRepeated } from '../src/policy/budget.js';
import { MODEL_TEXTS } from '../src/policy/model-texts.js';
import { guardPaths, validateToolCall } from './activities.js';
import type { RunState } from '../src/contract/run.js';
import type { CallEnd, CallStep } from '../src/contract/turn-under-way.js';
import { failed, isInfrastructureFault } from './call-end.js';
import type { Run } from './run.js';
import { callSeen } from './run-state.js';

/** A call with two positive verdicts over its arguments. Only `check` and an accepted edit make one. */
export interface CheckedCall {
  readonly requestKey: string;
  readonly key: CallKey;
  readonly tool: ManifestTool;
  readonly args: JsonObject;
  readonly validation: ValidArguments;
  readonly guard: AllowedPaths;
}

/** Validate, then guard (`hitl:order`). A call that fails either never reaches a person or a tool. */
export async function check(run: Run, key: CallKey, call: ProposedCall): Promise<CheckedCall | CallEnd> {
  const { manifest, agent } = run;
  const requestKey = `${run.id}:${String(key.turn)}:${String(key.index)}:${uuid4()}`;
  const recorded = manifest.tools.find((tool) => tool.name === call.tool);
  try {
    const verdict = await run.room.record(() =>
      validateToolCall({
        agent,
        requestKey,
        call,
        salt: manifest.salt,
        surface: manifest.tools.map((tool) => tool.name),
        ...(recorded && { recorded }),
      }),
    );
    if (!verdict.valid) return failed(verdict.code, verdict.text);
    if (!recorded) return failed('unknown_tool', MODEL_TEXTS.checkFailed);
    const { args, ...validation } = verdict;
    const { argsDigest } = validation;
    run.apply(callSeen, `${recorded.name}:${argsDigest}`);
    const repeated = isRepeated(run.state.recentCalls, manifest.budgets.maxRepeats);
    if (repeated && !recorded.repeatable) return failed('repeated_call', MODEL_TEXTS.repeated);
    const guard = await run.room.record(() =>
      guardPaths({
        agent,
        requestKey,
        tool: recorded.name,
        pathArgs: recorded.pathArgs,
        riskLevel: validation.riskLevel,
        protectedPaths: manifest.protectedPaths,
        args,
        argsDigest,
      }),
    );
    if (!guard.allowed) return failed(guard.code, guard.text);
    return { requestKey, key, tool: recorded, args, validation, guard };
  } catch (error) {
    if (!isInfrastructureFault(error)) throw error;
    return failed('check_failed', MODEL_TEXTS.checkFailed);
  }
}

type CallBegun = Exclude<CallStep, { at: 'proposed' | 'ended' }>;

/** The call as an execution before this one checked it. */
export function checkedBefore(run: Run, key: CallKey, tool: string, step: CallBegun): CheckedCall {
  const recorded = run.manifest.tools.find(({ name }) => name === tool);
  const args = step.checked.args ?? requestOf(run.state, key, step)?.args;
  // What was denied has no arguments any more, and needs none.
  if (!recorded || (!args && step.at !== 'ruled')) {
    throw new TypeError('The carried state lacks what a call of its turn was checked with.');
  }
  return { ...step.checked, key, tool: recorded, args: args ?? {} };
}

function requestOf(state: RunState, key: CallKey, step: CallBegun): ApprovalRequest | undefined {
  if (step.at !== 'ruled') return waitingFor(state, key);
  return step.ruling.kind === 'approved' ? step.ruling.request : undefined;
}

/** The request that waits for this call. */
export function waitingFor(state: RunState, { turn, index }: CallKey): ApprovalRequest | undefined {
  return state.pending.find(({ call }) => call.turn === turn && call.index === index);
}
