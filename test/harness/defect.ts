import { ApplicationFailure } from '@temporalio/common';
import type { NativeConnectionPlugin, WorkerPlugin } from '@temporalio/worker';
import type { ExecuteToolInput } from '../../src/contract/activities.js';

type ExecuteTool = (input: ExecuteToolInput) => Promise<unknown>;

/** A worker whose execution of one tool does its work and then fails, as a defect of Holdfast would make it. */
export function defectAfter(tool: string): NativeConnectionPlugin & WorkerPlugin {
  return {
    name: 'defect',
    configureWorker: (options) => {
      const activities = options.activities as { executeTool: ExecuteTool };
      const executeTool: ExecuteTool = async (input) => {
        const result = await activities.executeTool(input);
        if (input.tool !== tool) return result;
        throw ApplicationFailure.create({
          type: 'holdfast.internal_error',
          message: 'Made by a test.',
          nonRetryable: true,
        });
      };
      return { ...options, activities: { ...activities, executeTool } };
    },
  };
}
