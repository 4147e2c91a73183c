import type { HoldfastClient } from '../client.js';
import type { ApprovalRequest } from '../contract/decision.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { RunStatus, SettledRequest } from '../contract/run.js';
import { statusOf, type Waiting } from './ask-run.js';
import { callNumber } from './call-number.js';

/** A request as it is named: by its key, or by its run and the number of its call. */
export type RequestName =
  { readonly runId: string; readonly requestKey: string } | { readonly runId: string; readonly call: string };

/** `run:turn:index:nonce:execution`; the run's id may hold anything. */
const KEY = /^(?<runId>.+):\d+:\d+:[^:]+:[^:]+$/s;
const CALL = /^[1-9]\d*\.[1-9]\d*$/;

/** Reads `KEY`, or `RUN CALL`. Throws HoldfastError `invalid_config`. */
export function requestName(first: string, call: string | undefined): RequestName {
  if (call !== undefined) {
    if (CALL.test(call)) return { runId: first, call };
    throw new HoldfastError('invalid_config', 'A call is named as the timeline shows it, such as 2.1.');
  }
  const runId = KEY.exec(first)?.groups?.['runId'];
  if (runId !== undefined) return { runId, requestKey: first };
  const text =
    'Name the request by its key, or by run and call, such as RUN 2.1; `holdfast approvals` lists them.';
  throw new HoldfastError('invalid_config', text);
}

/**
 * The request of this name that waits. Throws a HoldfastError with the code of a decision about it when none does:
 * `request_decided`, `request_expired`, `request_withdrawn`, `unknown_request`; `no_worker` as `statusOf` does.
 */
export async function findRequest(
  client: HoldfastClient,
  name: RequestName,
  waiting: Waiting = {},
): Promise<ApprovalRequest> {
  return requestIn(await statusOf(client, name.runId, waiting), name);
}

/** The same, in a state that is known. */
export function requestIn(
  { pending, settled }: Pick<RunStatus, 'pending' | 'settled'>,
  name: RequestName,
): ApprovalRequest {
  const found = pending.find((request) =>
    'call' in name ? callNumber(request.call) === name.call : request.requestKey === name.requestKey,
  );
  if (found) return found;
  const before = settled.findLast(({ requestKey }) =>
    'call' in name ? callIn(requestKey) === name.call : requestKey === name.requestKey,
  );
  if (before) throw new HoldfastError(...ENDS[before.how]);
  const text = 'No request of this name waits. `holdfast approvals` lists those that do.';
  throw new HoldfastError('unknown_request', text);
}

const ENDS: Readonly<Record<SettledRequest['how'], ConstructorParameters<typeof HoldfastError>>> = {
  decided: ['request_decided', 'The request was decided before; nothing changed.'],
  expired: ['request_expired', 'The request has expired; its call did not run.'],
  withdrawn: ['request_withdrawn', 'The request was withdrawn: the run ended, or a budget of it.'],
};

function callIn(requestKey: string): string | undefined {
  const [turn, index] = requestKey.split(':').slice(-4);
  return turn === undefined || index === undefined
    ? undefined
    : callNumber({ turn: Number(turn), index: Number(index) });
}
