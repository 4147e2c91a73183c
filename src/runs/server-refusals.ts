import { isGrpcServiceError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { HoldfastError } from '../contract/error-codes.js';

/** gRPC's status code, by number. */
const UNAVAILABLE = 14;

/** What the Temporal server says no to, as a HoldfastError: `temporal_unavailable`, `unknown_run`. Else the error. */
export function meaningOf(error: unknown): unknown {
  if (error instanceof WorkflowNotFoundError) {
    const text = 'No run of this id is on this server. `holdfast runs` lists those that are.';
    return new HoldfastError('unknown_run', text, { cause: error });
  }
  const cause = error instanceof ServiceError ? error.cause : error;
  const code: number | undefined = isGrpcServiceError(cause) ? cause.code : undefined;
  if (code !== UNAVAILABLE) return error;
  const text = 'The Temporal server does not answer any more. Try again once it runs.';
  return new HoldfastError('temporal_unavailable', text, { cause: error });
}
