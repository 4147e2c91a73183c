import { isGrpcServiceError, type WorkflowService } from '@temporalio/client';
import type { HoldfastClient } from '../client.js';
import { HoldfastError } from '../contract/error-codes.js';
import { taskQueueOf } from '../contract/names.js';
import { payloadConverter } from '../contract/payload-converter.js';

/** A run as the server lists it, without asking the run. */
export type Execution = Awaited<ReturnType<WorkflowService['listWorkflowExecutions']>>['executions'][number];

export interface PageWish {
  /** Runs in a page. */
  readonly limit: number;
  /** Of the page before. */
  readonly page?: string | undefined;
}

export interface Page<Run> {
  readonly runs: readonly Run[];
  readonly nextPage?: string;
}

/** gRPC's INVALID_ARGUMENT and UNKNOWN, with which the server refuses a query or a page's token. */
const REFUSED: readonly number[] = [2, 3];

/**
 * A page of the runs that a visibility query finds, in the server's order. Throws HoldfastError `invalid_config` for a
 * page that the server did not give.
 *
 * @param read gives undefined for a run that is left out.
 * @param meant what else a refusal of the server means, by its gRPC status; asked first.
 */
export async function listPage<Run>(
  client: HoldfastClient,
  query: string,
  { limit, page }: PageWish,
  read: (execution: Execution) => Run | undefined,
  meant: (status: number, error: Error) => HoldfastError | undefined,
): Promise<Page<Run>> {
  const { workflowService, options } = client.temporal;
  const nextPageToken = Buffer.from(page ?? '', 'base64url');
  const request = { namespace: options.namespace, pageSize: limit, query, nextPageToken };
  const found = await workflowService.listWorkflowExecutions(request).catch((error: unknown) => {
    const status: number = isGrpcServiceError(error) ? error.code : -1;
    if (!(error instanceof Error) || !REFUSED.includes(status)) throw error;
    throw meant(status, error) ?? (page === undefined ? error : noSuchPage(error));
  });
  const token = Buffer.from(found.nextPageToken).toString('base64url');
  return {
    runs: found.executions.flatMap((execution) => read(execution) ?? []),
    ...(token !== '' && { nextPage: token }),
  };
}

/** Of which run and agent an execution is. */
export function namesOf({ execution, taskQueue }: Execution): {
  readonly runId: string;
  readonly agent: string;
} {
  return { runId: execution?.workflowId ?? '', agent: (taskQueue ?? '').slice(taskQueueOf('').length) };
}

/** What a run keeps in its memo under this name, whatever it is: anybody with access to the namespace may start one. */
export function memoOf({ memo }: Execution, name: string): unknown {
  const payload = memo?.fields?.[name];
  return payload && payloadConverter.fromPayload(payload);
}

function noSuchPage(cause: Error): HoldfastError {
  const text = 'This page is none that the server gave. Leave it out to begin anew.';
  return new HoldfastError('invalid_config', text, { cause });
}
