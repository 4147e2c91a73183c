import { makeContinueAsNewFunc, proxyActivities } from '@temporalio/workflow';
import type { ExecuteToolInput, HoldfastActivities } from '../../src/contract/activities.js';
import type { AgentRun, AgentRunInput } from '../../src/contract/run.js';

/** What somebody who reaches the namespace runs on a worker of their own, under the name of a run. */
export type RogueDeed = { readonly execute: ExecuteToolInput } | { readonly continueAs: AgentRunInput };

/** Has the agent's worker execute a call, or goes on as a run of that agent, with whatever it says. The task queue is the agent's. */
export async function agentRun(taskQueue: string, deed: RogueDeed): Promise<unknown> {
  if ('continueAs' in deed) return makeContinueAsNewFunc<AgentRun>({ taskQueue })(deed.continueAs);
  const { executeTool } = proxyActivities<HoldfastActivities>({
    taskQueue,
    startToCloseTimeout: '20 seconds',
    retry: { maximumAttempts: 1 },
  });
  return executeTool(deed.execute);
}
