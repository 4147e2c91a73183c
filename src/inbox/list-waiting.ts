import { isGrpcServiceError } from '@temporalio/client';
import type { HoldfastClient } from '../client.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { PendingSummary } from '../contract/inbox.js';
import { PENDING_ATTRIBUTE, PENDING_MEMO, taskQueueOf, WORKFLOW_TYPE } from '../contract/names.js';
import { payloadConverter } from '../contract/payload-converter.js';
import type { RiskLevel } from '../contract/tool.js';
import { riskKeyword, toolKeyword } from '../policy/pending-summary.js';
import { isPendingSummary } from './is-pending-summary.js';

export interface WaitingOptions {
  /** In runs of this agent alone. Names of agents and tools match `^[A-Za-z0-9_-]{1,64}$`. */
  readonly agent?: string | undefined;
  /** Runs in which a request for this tool waits. */
  readonly tool?: string | undefined;
  readonly riskLevel?: RiskLevel | undefined;
  /** Runs in a page. */
  readonly limit: number;
  /** Of the page before. */
  readonly page?: string | undefined;
}

/** A run in which something waits for people. */
export interface WaitingRun extends PendingSummary {
  readonly runId: string;
  readonly agent: string;
}

export interface WaitingPage {
  readonly runs: readonly WaitingRun[];
  readonly nextPage?: string;
}

/** gRPC's INVALID_ARGUMENT and UNKNOWN, with which the server refuses a page's token. */
const REFUSED: readonly number[] = [2, 3];

/**
 * A page of the runs in which something waits, from what the server keeps: no run is queried, so that none is woken
 * and no worker need live. In the server's order, and some milliseconds behind the runs. Throws HoldfastError
 * `invalid_config` for a page that the server did not give.
 */
export async function listWaiting(client: HoldfastClient, options: WaitingOptions): Promise<WaitingPage> {
  const { workflowService, options: own } = client.temporal;
  const page = await workflowService
    .listWorkflowExecutions({
      namespace: own.namespace,
      pageSize: options.limit,
      query: queryOf(options),
      nextPageToken: Buffer.from(options.page ?? '', 'base64url'),
    })
    .catch((error: unknown) => {
      throw told(error, options);
    });
  const runs = page.executions.flatMap((run): readonly WaitingRun[] => {
    const payload = run.memo?.fields?.[PENDING_MEMO];
    const summary: unknown = payload && payloadConverter.fromPayload(payload);
    if (!isPendingSummary(summary)) return [];
    const agent = (run.taskQueue ?? '').slice(taskQueueOf('').length);
    return [{ runId: run.execution?.workflowId ?? '', agent, ...summary }];
  });
  const token = Buffer.from(page.nextPageToken).toString('base64url');
  return { runs, ...(token !== '' && { nextPage: token }) };
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

function told(error: unknown, { page }: WaitingOptions): unknown {
  const code: number = isGrpcServiceError(error) ? error.code : -1;
  if (!REFUSED.includes(code)) return error;
  if (error instanceof Error && error.message.includes(PENDING_ATTRIBUTE)) {
    // No worker of this version has ever registered it, so nothing waits in a run of it.
    return new HoldfastError(
      'temporal_unavailable',
      'This namespace does not know what waits for people: a worker that starts registers it.',
      { cause: error },
    );
  }
  if (page === undefined) return error;
  const text = '--page is none that this server gave. Leave it out to begin anew.';
  return new HoldfastError('invalid_config', text, { cause: error });
}
