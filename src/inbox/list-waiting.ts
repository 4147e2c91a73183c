import type { HoldfastClient } from '../client.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { PendingSummary } from '../contract/inbox.js';
import { PENDING_ATTRIBUTE, PENDING_MEMO, taskQueueOf, WORKFLOW_TYPE } from '../contract/names.js';
import type { RiskLevel } from '../contract/tool.js';
import { riskKeyword, toolKeyword } from '../policy/pending-summary.js';
import { listPage, memoOf, namesOf, type Execution, type Page, type PageWish } from '../runs/list-page.js';
import { isPendingSummary } from './is-pending-summary.js';

export interface WaitingOptions extends PageWish {
  /** In runs of this agent alone. Names of agents and tools match `^[A-Za-z0-9_-]{1,64}$`. */
  readonly agent?: string | undefined;
  /** Runs in which a request for this tool waits. */
  readonly tool?: string | undefined;
  readonly riskLevel?: RiskLevel | undefined;
}

/** A run in which something waits for people. */
export interface WaitingRun extends PendingSummary {
  readonly runId: string;
  readonly agent: string;
}

/**
 * A page of the runs in which something waits, from what the server keeps: no run is queried, so that none is woken
 * and no worker need live. In the server's order, and some milliseconds behind the runs. Throws HoldfastError
 * `invalid_config` for a page that the server did not give.
 */
export function listWaiting(client: HoldfastClient, options: WaitingOptions): Promise<Page<WaitingRun>> {
  return listPage(client, queryOf(options), options, readWaiting, (_status, cause) => {
    if (!cause.message.includes(PENDING_ATTRIBUTE)) return undefined;
    // No worker of this version has ever registered it, so nothing waits in a run of it.
    const text = 'This namespace does not know what waits for people: a worker that starts registers it.';
    return new HoldfastError('temporal_unavailable', text, { cause });
  });
}

function readWaiting(execution: Execution): WaitingRun | undefined {
  const summary = memoOf(execution, PENDING_MEMO);
  return isPendingSummary(summary) ? { ...namesOf(execution), ...summary } : undefined;
}

function queryOf({ agent, tool, riskLevel }: WaitingOptions): string {
  return [
    `WorkflowType = '${WORKFLOW_TYPE}'`,
    `ExecutionStatus = 'Running'`,
    `${PENDING_ATTRIBUTE} IS NOT NULL`,
    ...(agent === undefined ? [] : [`TaskQueue = '${taskQueueOf(agent)}'`]),
    ...(tool === undefined ? [] : [`${PENDING_ATTRIBUTE} = '${toolKeyword(tool)}'`]),
    ...(riskLevel === undefined ? [] : [`${PENDING_ATTRIBUTE} = '${riskKeyword(riskLevel)}'`]),
  ].join(' AND ');
}
