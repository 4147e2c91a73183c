import { workflowInfo, type ApplicationFailure } from '@temporalio/workflow';
import { isJsonObject } from '../src/contract/json.js';
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
  if (typeof input.request.agent !== 'string' || typeof input.request.prompt !== 'string') {
    throw refuse('A start request names its agent and its prompt.');
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

function refuse(message: string): ApplicationFailure {
  return failure('invalid_start', message);
}
