import type { ApprovalRequest } from '../contract/decision.js';
import { isJsonObject } from '../contract/json.js';
import type { RunState } from '../contract/run.js';
import type { CallUnderWay, TurnUnderWay } from '../contract/turn-under-way.js';
import type { BuildingCall } from './call-book.js';
import type { Place } from './timeline.js';

/** A call that goes on, and the request that waits for it. */
export interface ResumedCall {
  readonly call: BuildingCall;
  readonly request?: ApprovalRequest;
}

/** The calls of the turn that a continuation goes on with, as it was told of them: their own events stand before it. */
export function resumedCalls({ turn, underWay, pending }: RunState, place: Place): readonly ResumedCall[] {
  if (!isTurnUnderWay(underWay)) return [];
  const requests = Array.isArray(pending) ? pending.filter(isRequest) : [];
  return underWay.calls.map((call, index) => {
    const waiting = requests.find((request) => request.call.turn === turn && request.call.index === index);
    return {
      call: { key: { turn, index }, decisions: [], ...recordOf(call, waiting, place) },
      ...(waiting && { request: waiting }),
    };
  });
}

function isRequest(value: unknown): value is ApprovalRequest {
  return isJsonObject(value) && isJsonObject(value.call) && isJsonObject(value.args);
}

/** The state is as the run wrote it; of a history that somebody made up, it is whatever it is. */
function isTurnUnderWay(value: unknown): value is TurnUnderWay {
  return (
    isJsonObject(value) &&
    typeof value.text === 'string' &&
    Array.isArray(value.calls) &&
    value.calls.every(isCallUnderWay)
  );
}

function isCallUnderWay(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value.tool !== 'string' || !isJsonObject(value.step)) return false;
  const { step } = value;
  const members = typeof step.at === 'string' && Object.hasOwn(STEPS, step.at) ? STEPS[step.at] : undefined;
  return members?.every((member) => isJsonObject(step[member])) ?? false;
}

/** What each step holds. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  proposed: ['call'],
  checked: ['checked'],
  ruled: ['checked', 'ruling'],
  authorized: ['checked', 'authorization'],
  ended: ['end'],
};

function recordOf(
  { providerCallId, tool, step }: CallUnderWay,
  waiting: ApprovalRequest | undefined,
  place: Place,
): Pick<BuildingCall, 'proposed' | 'validation' | 'guard' | 'outcome'> {
  if (step.at === 'proposed') return { proposed: step.call };
  const proposed = { providerCallId, tool, argsText: '' };
  if (step.at === 'ended') return { proposed, outcome: step.end.outcome };
  const ruled = step.at === 'ruled' && step.ruling.kind === 'approved' ? step.ruling.request : undefined;
  // Where a request holds the arguments, they are those of an edit if it counted already.
  const request = waiting ?? ruled;
  const { validation, guard } = request?.edited ?? step.checked;
  const args = step.checked.args ?? request?.args ?? {};
  return {
    proposed: { ...proposed, argsText: JSON.stringify(args) },
    validation: { ...place, value: { ...validation, args } },
    guard: { ...place, value: guard },
  };
}
