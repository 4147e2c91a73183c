import type { HoldfastClient } from '../client.js';
import type { ControlAnswer } from '../contract/control.js';
import { HoldfastError, type ErrorCode } from '../contract/error-codes.js';
import type { JsonObject } from '../contract/json.js';
import { inTime } from '../runs/ask-run.js';
import { checkRun } from '../runs/find-run.js';
import { ApiRefusal } from './problem.js';
import type { Answer, AnswerDoc, RouteDeps } from './route.js';

/** Asks something of a run by update and says what became of it. Throws ApiRefusal with the code of a refusal. */
export async function askControl(
  runId: string,
  { client, answerMs }: RouteDeps,
  ask: (client: HoldfastClient) => Promise<ControlAnswer>,
): Promise<Answer> {
  await checkRun(client, runId);
  const answer = await inTime(client, () => ask(client), { limitMs: answerMs }).catch((error: unknown) => {
    if (!(error instanceof HoldfastError && error.code === 'no_worker')) throw error;
    const text = 'No worker answers. It may still be done once one is back: look at the run then.';
    throw new HoldfastError('no_worker', text, { cause: error });
  });
  if (!answer.done) throw new ApiRefusal(answer.code, answer.text);
  return { status: 200, body: answer };
}

const DONE: JsonObject = {
  type: 'object',
  required: ['done', 'action'],
  properties: { done: { const: true }, action: { type: 'string' } },
};

/** How every control answers. */
export const CONTROL_ANSWERS: Readonly<Record<number, AnswerDoc>> = {
  200: { description: 'Done.', schema: DONE },
};
export const CONTROL_REFUSALS: readonly ErrorCode[] = [
  'malformed_control',
  'control_refused',
  'run_closed',
  'unknown_run',
  'no_worker',
];
