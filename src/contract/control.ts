/** What an operator asks of a running run, by signal `control` or update `controlRun` (`run:control`). */
export type Control =
  | { readonly action: 'pause' | 'resume'; readonly by: string }
  /** Reaches the model after the tools of the turn at work. */
  | { readonly action: 'message'; readonly by: string; readonly text: string }
  /** Ends the grant of a tool: its next call asks again (`hitl:grants`). */
  | { readonly action: 'revoke'; readonly by: string; readonly tool: string };

/** What became of it. Refusals say what to do and change nothing. */
export type ControlAnswer =
  | { readonly done: true; readonly action: Control['action'] }
  | { readonly done: false; readonly code: ControlErrorCode; readonly text: string };

export type ControlErrorCode = 'malformed_control' | 'control_refused' | 'run_closed';
