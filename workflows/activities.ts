import {
  ActivityCancellationType,
  proxyActivities,
  proxyLocalActivities,
  type ActivityInterfaceFor,
} from '@temporalio/workflow';
import type { HoldfastActivities } from '../src/contract/activities.js';
import type { Manifest, ManifestTool } from '../src/contract/manifest.js';

// Every activity has explicit attempts and timeouts; nothing is retried without end.

/** Time for an activity to notice that the tool's or the model's own time is over, and to say so. */
const MARGIN_MS = 15_000;

type Activities = ActivityInterfaceFor<HoldfastActivities>;

/** Prepares the run. A refused start is final; an unreachable store is tried again. */
export const { prepareRun } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 5 },
});

/** Checks touch nothing, so the worker may do them again when it died in the same workflow task. */
export const { validateToolCall, guardPaths, previewToolCall, validateApproval } =
  proxyLocalActivities<Activities>({
    startToCloseTimeout: '30 seconds',
    retry: { maximumAttempts: 3 },
  });

/** One request to the model for each attempt (`model:failures`). */
export function modelActivities(manifest: Manifest): Pick<Activities, 'callModel'> {
  return proxyActivities<Activities>({
    startToCloseTimeout: manifest.modelTimeoutMs + MARGIN_MS,
    heartbeatTimeout: '10 seconds',
    retry: {
      maximumAttempts: manifest.modelMaxAttempts,
      initialInterval: '1 second',
      backoffCoefficient: 2,
      maximumInterval: '1 minute',
    },
  });
}

/** A tool that is not idempotent is started at most once (`run:at-most-once`). */
export function toolActivities(tool: ManifestTool): Pick<Activities, 'executeTool'> {
  return proxyActivities<Activities>({
    startToCloseTimeout: tool.timeoutMs + MARGIN_MS,
    heartbeatTimeout: tool.heartbeatMs,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      maximumAttempts: tool.idempotent ? tool.maxAttempts : 1,
      initialInterval: '1 second',
      backoffCoefficient: 2,
      maximumInterval: '1 minute',
    },
  });
}

/**
 * Tells a webhook of a request: at most eight attempts within an hour and a half, and none after the request's expiry.
 * Cancelled, nothing waits for its end.
 *
 * @param expiresInMs from now on.
 */
export function announcingActivities(expiresInMs: number): Pick<Activities, 'announceRequest'> {
  return proxyActivities<Activities>({
    startToCloseTimeout: '20 seconds',
    scheduleToCloseTimeout: expiresInMs,
    heartbeatTimeout: '10 seconds',
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: {
      maximumAttempts: 8,
      initialInterval: '1 second',
      backoffCoefficient: 4,
      maximumInterval: '1 hour',
    },
  });
}
