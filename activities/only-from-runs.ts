import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { HoldfastError } from '../src/contract/error-codes.js';
import { WORKFLOW_TYPE } from '../src/contract/names.js';
import { asActivityFailure } from './failures.js';

/** It reads, and says less than a run that asks would show. */
const BY_ITSELF: readonly string[] = ['comparePreview'];

/**
 * Lets an activity run for a run alone: a server can start one without any workflow, and whoever may do that would
 * otherwise have a tool run that nobody checked or approved (`run:activities`).
 */
export function onlyFromRuns({ info }: Context): ActivityInterceptors {
  return {
    inbound: {
      execute: async (input, next) => {
        const fromRun = info.inWorkflow && info.workflowType === WORKFLOW_TYPE;
        if (fromRun || BY_ITSELF.includes(info.activityType)) return next(input);
        const text =
          'Only a run may ask for this. Start one: its calls are checked, and approved if need be.';
        throw asActivityFailure(new HoldfastError('binding_mismatch', text));
      },
    },
  };
}
