import {
  ERROR_CODES,
  type DecisionErrorCode,
  type ErrorCode,
  type ErrorDoor,
} from '../contract/error-codes.js';

/** How the HTTP API answers a decision that does not count; a counted one is 200, one sent as a signal 202. */
const DECISION_STATUS: Readonly<Record<DecisionErrorCode, number>> = {
  malformed_decision: 422,
  signature_invalid: 403,
  key_unknown: 403,
  key_revoked: 403,
  not_authorized: 403,
  already_approved: 409,
  wrong_run: 409,
  decision_too_large: 413,
  too_many_decisions: 429,
  decision_not_judged: 503,
  decision_id_reused: 409,
  unknown_request: 404,
  request_decided: 409,
  request_expired: 410,
  request_withdrawn: 409,
  digest_mismatch: 409,
  edit_invalid: 422,
  edit_refused: 422,
  grant_not_allowed: 422,
  run_closed: 409,
  cwd_not_permitted: 422,
};

const BY_DOOR: Readonly<Record<ErrorDoor, number>> = {
  call: 500,
  decision: 409,
  control: 422,
  start: 422,
  run: 500,
  environment: 503,
  http: 400,
};

const OTHERWISE: Partial<Record<ErrorCode, number>> = {
  ...DECISION_STATUS,
  control_refused: 409,
  run_exists: 409,
  unknown_run: 404,
  unauthenticated: 401,
  role_lacking: 403,
  unknown_route: 404,
  method_not_allowed: 405,
  request_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
};

/** The HTTP status of an error of this code. */
export function statusFor(code: ErrorCode): number {
  return OTHERWISE[code] ?? BY_DOOR[ERROR_CODES[code].door];
}
