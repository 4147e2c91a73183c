import { ERROR_CODES, HoldfastError, type ErrorCode } from '../contract/error-codes.js';
import { meaningOf } from '../runs/server-refusals.js';
import { statusFor } from './http-status.js';

/** RFC 9457, with the code of Holdfast's one table. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  /** What to do; without arguments, paths of the server and secrets. */
  readonly detail: string;
  /** Where the fault is, when what was sent has one. */
  readonly errors?: readonly Fault[];
}

export interface Fault {
  readonly in: 'path' | 'query' | 'body';
  /** A sentence that begins with the place. */
  readonly detail: string;
  /** JSON Pointer (RFC 6901) to the place in the body, as a URI fragment without percent-encoding, such as `#/args/line`. */
  readonly pointer?: string;
}

/** A refusal that is more than its code and text. */
export class ApiRefusal extends HoldfastError {
  constructor(
    code: ErrorCode,
    detail: string,
    readonly more: {
      readonly errors?: readonly Fault[];
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(code, detail);
  }
}

export const PROBLEM_TYPE = 'application/problem+json';

export function problemOf(code: ErrorCode, detail: string, errors?: readonly Fault[]): Problem {
  return {
    type: `urn:holdfast:error:${code}`,
    title: ERROR_CODES[code].meaning,
    status: statusFor(code),
    code,
    detail,
    ...(errors && { errors }),
  };
}

/** Any failure as a refusal. What nobody foresaw is a defect, of which no word goes out. */
export function refusalFrom(error: unknown): HoldfastError {
  const meant = meaningOf(error);
  if (meant instanceof HoldfastError) return meant;
  if (!(error instanceof Error)) return defect(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new ApiRefusal('request_too_large', 'The body is too large for this address. Send less.');
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new ApiRefusal('unsupported_media_type', 'Send the body as application/json.');
  }
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ApiRefusal('malformed_request', 'The request cannot be read as HTTP. Send it again.');
  }
  return defect(error);
}

function defect(cause: unknown): HoldfastError {
  const text = 'A defect of Holdfast, or a fault without a code of its own; its log says more.';
  return new HoldfastError('internal_error', text, { cause });
}
