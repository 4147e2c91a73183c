import type { HoldfastClient } from '../client.js';
import { HoldfastError } from '../contract/error-codes.js';
import { WORKFLOW_TYPE } from '../contract/names.js';

/**
 * Whether the run is still open. Throws HoldfastError `unknown_run` for a workflow that is no run, and the SDK's
 * WorkflowNotFoundError for an id that the server does not keep.
 */
export async function checkRun(client: HoldfastClient, runId: string): Promise<{ readonly open: boolean }> {
  const { type, status } = await client.temporal.workflow.getHandle(runId).describe();
  if (type !== WORKFLOW_TYPE) {
    throw new HoldfastError('unknown_run', 'The workflow of this id is no run of Holdfast.');
  }
  return { open: status.name === 'RUNNING' };
}
