import { workflowInfo, type ApplicationFailure } from '@temporalio/workflow';
import { isJsonObject } from '../src/contract/json.js';
import { LIMITS } from '../src/contract/limits.js';
import { CWD_NOT_PERMITTED } from '../src/contract/names.js';
import { isUndecodable } from '../src/contract/payload-converter.js';
import { failure } from './run-failure.js';

/**
 * Whoever reaches the namespace can start a workflow with any input. Only what the workflow reads before
 * `prepareRun` judges the request is looked at here. A carried state counts only when this execution really
 * continues another: a client could write grants and budgets into it (`surface:narrow-only`). Throws the
 * failure of the run.
 */
export function checkInput(input: unknown): void {
  if (!isJsonObject(input) || isUndecodable(input) || !isJsonObject(input.request)) {
    throw refuse('A run starts with { request: { agent, prompt } }.');
  }
  const { request, carried: _carried, ...others } = input;
  if (Object.hasOwn(others, 'cwd')) throw failure('cwd_not_permitted', CWD_NOT_PERMITTED);
  if (Object.keys(others).length > 0) throw refuse('A run starts with a request and nothing beside it.');
  if (typeof request.agent !== 'string' || typeof request.prompt !== 'string') {
    throw refuse('A start request names its agent and its prompt.');
  }
  // It must still fit, and be encoded, as the input of an activity and of every continuation.
  if (isDeeperThan(request, REQUEST_DEPTH) || JSON.stringify(request).length > LIMITS.startCharacters) {
    throw refuse('The start request is too large. Put what is long in a file of the workspace.');
  }
  if (workflowInfo().workflowId.length > LIMITS.runIdCharacters) {
    throw refuse(`The id of a run has at most ${String(LIMITS.runIdCharacters)} characters.`);
  }
  const { continuedFromExecutionRunId, cronSchedule, retryPolicy, attempt } = workflowInfo();
  // A second execution by schedule or retry has a predecessor too, and its input is the client's.
  if (cronSchedule !== undefined || retryPolicy !== undefined || attempt > 1) {
    throw refuse('A run is started once. Start it without a schedule and without a retry policy.');
  }
  if (input.carried !== undefined && continuedFromExecutionRunId === undefined) {
    throw refuse('Only a run that continues as new carries a state. Start with the request alone.');
  }
}

const REQUEST_DEPTH = 4;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

function refuse(message: string): ApplicationFailure {
  return failure('invalid_start', message);
}
