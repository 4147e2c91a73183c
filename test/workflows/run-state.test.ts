import { describe, expect, it } from 'vitest';
import { jsonBytes } from '../../src/contract/json.js';
import { LIMITS } from '../../src/contract/limits.js';
import { isRepeated } from '../../src/policy/budget.js';
import { answered, callSeen, initialState, ruled } from '../../workflows/run-state.js';

const DIGEST = 'a'.repeat(64);
const answerTo = (requestKey: string) => ({ counted: true, requestKey, decision: 'approve' }) as const;
const UUID = '9b2fbd2e-8d34-4c2f-9c1c-0f4a3c4b1d11';

/** A run in which so many decisions about requests with such names were answered. */
function decided(many: number, name: string, decisionId: string) {
  let state = initialState('x', 0);
  for (let n = 0; n < many; n += 1) {
    const requestKey = `${name}:${String(n)}:0:${UUID}:${UUID}`;
    state = ruled(state, { requestKey, call: { turn: 0, index: 0 } }, { kind: 'denied' });
    const kept = { decisionId: `${decisionId}${String(n)}`, payloadDigest: DIGEST };
    state = answered(state, { ...kept, answer: answerTo(requestKey) });
  }
  return state;
}

describe('what a run keeps of earlier decisions', () => {
  it('are the last 1,000 answers, and as many ends of requests [hitl:stale]', () => {
    const { answers, settled: ends } = decided(1100, `run-${UUID}`, UUID.slice(0, -4));
    expect([answers.length, ends.length]).toEqual([1000, 1000]);
    expect(answers.at(-1)?.decisionId.endsWith('1099')).toBe(true);
  });

  it('are fewer of them when every name is as long as it may be [run:payloads] [run:continue-as-new]', () => {
    const { answers, settled: ends } = decided(1000, '\u0001'.repeat(256), '\u0001'.repeat(124));
    expect(jsonBytes(answers)).toBeLessThanOrEqual(LIMITS.keptAnswersBytes);
    expect(jsonBytes(ends)).toBeLessThanOrEqual(LIMITS.keptEndsBytes);
    expect(answers.length).toBeGreaterThan(100);
    expect(ends.length).toBeGreaterThan(100);
    expect(answers.at(-1)?.decisionId.endsWith('999')).toBe(true);
  });
});

describe('what a run keeps of its calls', () => {
  /** A call, so many others, and the call again. */
  const calledAgain = (others: number): readonly string[] => {
    const calls = ['same', ...Array.from({ length: others }, (_none, n) => `other ${String(n)}`), 'same'];
    return calls.reduce((state, call) => callSeen(state, call), initialState('x', 0)).recentCalls;
  };

  it.each([
    [0, true],
    [18, true],
    [19, false],
  ])(
    'are the last 20, the one at hand among them: after %i others a second call is a repetition, %s [budget:repeat]',
    (others, repeated) => {
      expect(isRepeated(calledAgain(others), 2)).toBe(repeated);
      expect(calledAgain(others).length).toBeLessThanOrEqual(LIMITS.recentCalls);
    },
  );

  it('refuse nothing when the guard is off [budget:repeat]', () => {
    expect(isRepeated(calledAgain(0), 0)).toBe(false);
  });
});
