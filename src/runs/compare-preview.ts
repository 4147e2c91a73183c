import { randomUUID } from 'node:crypto';
import { ActivityExecutionFailedError, ServiceError } from '@temporalio/client';
import type { HoldfastClient } from '../client.js';
import type { ApprovalRequest } from '../contract/decision.js';
import { taskQueueOf } from '../contract/names.js';
import type { AskedActivities, PreviewComparison } from '../contract/preview.js';
import { basisToHold } from '../policy/preview-basis.js';

/** `none`: the request shows nothing that could change. `unknown`: no worker could say. */
export type PreviewState = PreviewComparison | 'none' | 'unknown';

/**
 * Whether the files have changed since the request's preview was made, as a worker of the agent sees them, which alone
 * has the workspace. The run is not asked and nothing is written into its history. `unknown` when no worker answers in
 * time, or the server knows no activities outside workflows.
 *
 * @param limitMs how long a worker is waited for, milliseconds.
 */
export async function comparePreview(
  client: HoldfastClient,
  agent: string,
  request: ApprovalRequest,
  limitMs: number,
): Promise<PreviewState> {
  const basis = basisToHold(request);
  if (basis === undefined) return 'none';
  const { tool, riskLevel, args } = request;
  const asked = client.temporal.activity.typed<AskedActivities>();
  try {
    return await client.temporal.withDeadline(Date.now() + limitMs, () =>
      asked.execute('comparePreview', {
        id: `compare-preview-${randomUUID()}`,
        taskQueue: taskQueueOf(agent),
        args: [{ agent, tool, riskLevel, args, basis }],
        scheduleToCloseTimeout: limitMs,
        retry: { maximumAttempts: 1 },
      }),
    );
  } catch (error) {
    if (error instanceof ActivityExecutionFailedError || error instanceof ServiceError) return 'unknown';
    throw error;
  }
}
