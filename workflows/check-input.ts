import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { isJsonObject } from '../src/contract/json.js';
import { isUndecodable } from '../src/contract/payload-converter.js';

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
  if (input.carried !== undefined && workflowInfo().continuedFromExecutionRunId === undefined) {
    throw refuse('Only a run that continues as new carries a state. Start with the request alone.');
  }
}

function refuse(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, 'holdfast.invalid_start');
}
