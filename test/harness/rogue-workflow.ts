import { continueAsNew, makeContinueAsNewFunc, proxyActivities } from '@temporalio/workflow';
import type { ExecuteToolInput, HoldfastActivities } from '../../src/contract/activities.js';
import type { AgentRun, AgentRunInput } from '../../src/contract/run.js';

/** What somebody who reaches the namespace runs on a worker of their own, under the name of a run. */
export interface RogueInput {
  /** Of the agent. */
  readonly taskQueue: string;
  readonly execute?: ExecuteToolInput;
  readonly continueAs?: AgentRunInput;
}

/** Has the agent's worker execute a call, or goes on as a run of that agent, with whatever it says. */
export async function agentRun({ taskQueue, execute, continueAs }: RogueInput): Promise<unknown> {
  if (continueAs) await makeContinueAsNewFunc<AgentRun>({ taskQueue })(continueAs);
  if (!execute) return continueAsNew();
  const { executeTool } = proxyActivities<HoldfastActivities>({
    taskQueue,
    startToCloseTimeout: '20 seconds',
    retry: { maximumAttempts: 1 },
  });
  return executeTool(execute);
}
