/**
 * The one table of error codes. README and the tests are compared with it; a code is never renamed.
 *
 * `door` says where a person meets the code: `call` (the outcome of a tool call, read by the model),
 * `decision` (the answer to an approver), `control` (the answer to an operator), `start` (a refused registration, worker or start of a run),
 * `run` (why a run ended), `environment` (the machine, the server, the configuration), `http` (what the HTTP API
 * refuses before it asks a run).
 */
export const ERROR_CODES = {
  // The outcome of a tool call.
  invalid_args: { door: 'call', meaning: 'The arguments are not strict JSON or fail the schema.' },
  unknown_tool: { door: 'call', meaning: 'No tool of this name is in the surface of the run.' },
  tool_unavailable: { door: 'call', meaning: 'The recorded tool no longer exists on the worker.' },
  path_refused: { door: 'call', meaning: 'A path argument is outside the workspace or cannot be judged.' },
  path_changed: { door: 'call', meaning: 'A path leads elsewhere than when the call was checked.' },
  precondition_changed: {
    door: 'call',
    meaning: 'What the approver saw has changed since; nothing ran.',
  },
  truncated_call: {
    door: 'call',
    meaning: 'The answer of the model was cut off; no call of that turn runs.',
  },
  repeated_call: { door: 'call', meaning: 'The same call was made too often among the last ones.' },
  tool_error: {
    door: 'call',
    meaning: 'The tool says that it failed, threw, or gave a result JSON cannot carry.',
  },
  tool_timeout: { door: 'call', meaning: 'The tool ran longer than its timeoutMs.' },
  interrupted: { door: 'call', meaning: 'The tool could not be run to its end; it may have run.' },
  check_failed: { door: 'call', meaning: 'A check could not be completed, so nothing ran.' },
  binding_mismatch: { door: 'call', meaning: 'The execution does not fit its verdicts or its decision.' },
  budget_exhausted: { door: 'call', meaning: 'A budget of the run is used up; the call was not run.' },

  // The answer to a decision.
  malformed_decision: { door: 'decision', meaning: 'The payload is not a decision.' },
  signature_invalid: { door: 'decision', meaning: 'The signature is none over this decision.' },
  key_unknown: { door: 'decision', meaning: 'No worker of the agent trusts the key that signed.' },
  key_revoked: { door: 'decision', meaning: 'The key that signed was revoked before the decision arrived.' },
  not_authorized: { door: 'decision', meaning: 'This approver may not decide this, or not with this key.' },
  already_approved: { door: 'decision', meaning: 'This approver has approved already; another one must.' },
  wrong_run: { door: 'decision', meaning: 'The decision is for another run.' },
  decision_too_large: {
    door: 'decision',
    meaning: 'The payload is larger than a decision may be, or with its edit too much would wait.',
  },
  too_many_decisions: {
    door: 'decision',
    meaning: 'Too many decisions wait to be judged; send it again later.',
  },
  decision_not_judged: { door: 'decision', meaning: 'The decision could not be judged; nothing changed.' },
  decision_id_reused: { door: 'decision', meaning: 'Another decision bore this decisionId before.' },
  unknown_request: { door: 'decision', meaning: 'No request of this key was ever made in this run.' },
  request_decided: { door: 'decision', meaning: 'The request was decided before.' },
  request_expired: { door: 'decision', meaning: 'The request expired before the decision arrived.' },
  request_withdrawn: {
    door: 'decision',
    meaning: 'The request was withdrawn: the run ended, or a budget of it.',
  },
  digest_mismatch: { door: 'decision', meaning: 'The decision is for other arguments than those shown.' },
  edit_invalid: { door: 'decision', meaning: 'The edited arguments fail the schema of the tool.' },
  edit_refused: { door: 'decision', meaning: 'The edited arguments fail the path guard.' },
  grant_not_allowed: {
    door: 'decision',
    meaning: 'This tool asks every time; no decision covers the whole run.',
  },
  run_closed: { door: 'decision', meaning: 'The run has ended, or no run of this id exists.' },

  // The answer to a control.
  malformed_control: { door: 'control', meaning: 'The payload is no control of a run.' },
  control_refused: { door: 'control', meaning: 'The control does not fit the state of the run.' },

  // Registration and start.
  invalid_tool: { door: 'start', meaning: 'A tool definition is wrong.' },
  duplicate_tool: { door: 'start', meaning: 'Two tools have one name.' },
  invalid_schema: { door: 'start', meaning: 'A tool schema is invalid or cannot be compiled.' },
  invalid_path_args: { door: 'start', meaning: 'pathArgs names something that is no string property.' },
  invalid_agent: { door: 'start', meaning: 'An agent definition is wrong.' },
  invalid_module: { door: 'start', meaning: 'A module cannot be loaded, or holds no agent or tool.' },
  unknown_agent: { door: 'start', meaning: 'The worker holds no agent of this name.' },
  invalid_workspace: { door: 'start', meaning: 'The workspace does not exist or is no directory.' },
  unknown_tool_name: { door: 'start', meaning: 'A tool list names a tool that does not exist.' },
  surface_widened: { door: 'start', meaning: 'A start may only narrow what the server configured.' },
  cwd_not_permitted: {
    door: 'start',
    meaning: 'The workspace is resolved by the server, never by a client.',
  },
  invalid_start: { door: 'start', meaning: 'The start request is malformed.' },
  run_exists: { door: 'start', meaning: 'A run of this id exists on the server, or did.' },

  // Why a run ended.
  model_failed: { door: 'run', meaning: 'The model refused the request or failed for good.' },
  model_script_ended: { door: 'run', meaning: 'The scripted model has no further turn.' },
  transcript_damaged: { door: 'run', meaning: 'A transcript node is missing or altered.' },
  worker_fault: {
    door: 'run',
    meaning: "The worker's machine refused an operation, such as writing to a full disk.",
  },
  internal_error: { door: 'run', meaning: 'A defect of Holdfast; the run stops so that it is seen.' },

  // Machine, server, configuration.
  invalid_config: { door: 'environment', meaning: 'An environment variable or option has a bad value.' },
  temporal_unavailable: { door: 'environment', meaning: 'No Temporal server could be found or started.' },
  no_worker: { door: 'environment', meaning: 'No worker of the agent answers.' },
  webhook_failed: {
    door: 'environment',
    meaning: 'A webhook was not told of a request, which waits all the same.',
  },
  identity_provider_unavailable: {
    door: 'environment',
    meaning: 'The keys of the identity provider cannot be had, so that none of its tokens counts.',
  },
  unknown_run: { door: 'environment', meaning: 'The server keeps no run of this id.' },

  // The HTTP API itself.
  malformed_request: {
    door: 'http',
    meaning: 'The request, its query or its body cannot be read as documented.',
  },
  unauthenticated: { door: 'http', meaning: 'No valid token came with the request.' },
  role_lacking: { door: 'http', meaning: 'The token has none of the roles that this needs.' },
  unknown_route: { door: 'http', meaning: 'There is nothing at this address.' },
  method_not_allowed: { door: 'http', meaning: 'This address does not know this method.' },
  request_too_large: { door: 'http', meaning: 'The body is larger than this address takes.' },
  unsupported_media_type: { door: 'http', meaning: 'The body is not declared as application/json.' },
  rate_limited: { door: 'http', meaning: 'Too many requests came; wait before the next one.' },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
/** Whether a text is one of these codes: what a history or a server says is not believed. */
function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(ERROR_CODES, code);
}

/** The code of a failure's type, `holdfast.` and one of these; undefined for any other. */
export function codeOfType(type: string | null | undefined): ErrorCode | undefined {
  const code = type?.replace(/^holdfast\./, '');
  return isErrorCode(code) ? code : undefined;
}

export type ErrorDoor = (typeof ERROR_CODES)[ErrorCode]['door'];
type CodesOf<Door extends ErrorDoor> = {
  [Code in ErrorCode]: (typeof ERROR_CODES)[Code]['door'] extends Door ? Code : never;
}[ErrorCode];

/** Codes that the outcome of a tool call may carry. */
export type CallErrorCode = CodesOf<'call'>;
/** Codes that answer a refused decision. `cwd_not_permitted` is met at this door too (`path:workspace`). */
export type DecisionErrorCode = CodesOf<'decision'> | 'cwd_not_permitted';

/**
 * An error that a person can act on. `message` is one line that says what to do, without arguments,
 * absolute paths or secrets.
 */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
