import { isJsonObject } from '../contract/json.js';
import type { RunState } from '../contract/run.js';
import type { CallUnderWay, TurnUnderWay } from '../contract/turn-under-way.js';
import type { BuildingCall } from './call-book.js';
import type { Place } from './timeline.js';

/** The calls of the turn that a continuation goes on with, as it was told of them: their own events stand before it. */
export function resumedCalls({ turn, underWay }: RunState, place: Place): readonly BuildingCall[] {
  if (!isTurnUnderWay(underWay)) return [];
  return underWay.calls.map((call, index) => ({
    key: { turn, index },
    decisions: [],
    ...recordOf(call, place),
  }));
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
  place: Place,
): Pick<BuildingCall, 'proposed' | 'validation' | 'guard' | 'outcome'> {
  if (step.at === 'proposed') return { proposed: step.call };
  const proposed = { providerCallId, tool, argsText: '' };
  if (step.at === 'ended') return { proposed, outcome: step.end.outcome };
  const { args = {}, validation, guard } = step.checked;
  return {
    proposed: { ...proposed, argsText: JSON.stringify(args) },
    validation: { ...place, value: { ...validation, args } },
    guard: { ...place, value: guard },
  };
}
