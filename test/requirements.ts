/**
 * What Holdfast must do, as data: one row for each rule, in the order of the requirements. Every test names the
 * ids it proves in brackets in its name, `[path:symlinks]` or `[H03]`, and requirements.test.ts fails for a
 * row that is built, wholly or partly, and that no test names. What is not yet whole stands as an expected
 * failure. An id is never renamed.
 */
export interface Requirement {
  readonly id: string;
  /** `whole`: all of the rule holds and is tested. `partly`: a part of it does. */
  readonly built: 'whole' | 'partly' | 'not';
  /** In a few words; the requirement itself is longer. */
  readonly rule: string;
}

export const REQUIREMENTS: readonly Requirement[] = [
  { id: 'tool:def', built: 'whole', rule: 'a ToolDef holds schema, risk, paths and execution options' },
  {
    id: 'tool:risk-levels',
    built: 'whole',
    rule: 'five risk levels; absent means mutation, any other fails',
  },
  { id: 'tool:name', built: 'whole', rule: 'names match the pattern and are unique' },
  {
    id: 'tool:schema-at-registration',
    built: 'whole',
    rule: 'a schema compiles at registration or is refused',
  },
  { id: 'tool:path-args', built: 'whole', rule: 'every declared path argument is a string property' },
  { id: 'tool:path-args-legacy', built: 'whole', rule: 'root properties named like paths are guarded' },
  { id: 'tool:handler-args', built: 'whole', rule: 'handlers get checked arguments and a context' },
  { id: 'tool:handler-result', built: 'whole', rule: 'the outcome, never the text, decides the status' },
  {
    id: 'tool:handler-throws',
    built: 'whole',
    rule: 'a throw becomes status error, once, and the run goes on',
  },
  { id: 'tool:typebox', built: 'whole', rule: 'TypeBox schemas are parameters and give static types' },
  { id: 'tool:foreign', built: 'partly', rule: 'foreign tools come through explicit adapters' },

  { id: 'schema:2020-12', built: 'whole', rule: 'all assertion keywords of draft 2020-12' },
  { id: 'schema:refs', built: 'whole', rule: 'local references work, no other ever resolves' },
  { id: 'schema:no-coercion', built: 'whole', rule: 'what was validated is what the model sent' },
  { id: 'schema:own-properties', built: 'whole', rule: 'only own properties count' },
  { id: 'schema:before-handler', built: 'whole', rule: 'invalid arguments reach nothing; no value is told' },
  { id: 'schema:strict-json', built: 'whole', rule: 'arguments are parsed strictly and nothing is repaired' },
  { id: 'schema:truncated-turn', built: 'whole', rule: 'no call of a truncated turn runs' },
  { id: 'schema:bounded', built: 'partly', rule: 'validation is bounded in time, memory, depth and size' },
  { id: 'schema:format', built: 'whole', rule: 'standard formats are asserted, unknown ones refused' },
  {
    id: 'schema:unknown-tool',
    built: 'whole',
    rule: 'an unknown tool is an error that lists the real names',
  },
  { id: 'schema:unknown-keywords', built: 'whole', rule: 'an unknown keyword fails our own tools' },
  { id: 'schema:suite', built: 'not', rule: 'no wrong value of the official suite is accepted' },

  {
    id: 'path:workspace',
    built: 'whole',
    rule: 'paths are judged from the workspace; no client gives a cwd',
  },
  { id: 'path:inside', built: 'whole', rule: 'inside is judged by components of canonical paths' },
  { id: 'path:all-or-nothing', built: 'whole', rule: 'one path outside fails the whole call before any I/O' },
  { id: 'path:symlinks', built: 'whole', rule: 'links are judged by their real target' },
  {
    id: 'path:protected',
    built: 'whole',
    rule: 'protected paths are never written, secret ones never read',
  },
  { id: 'path:hostile-names', built: 'whole', rule: 'hostile names give one error or a legal file inside' },
  { id: 'path:fail-closed', built: 'whole', rule: 'a declared path that cannot be judged is refused' },
  { id: 'path:at-use', built: 'whole', rule: 'execution guards again and follows no swapped link' },
  { id: 'path:free-text', built: 'whole', rule: 'only declared path arguments are judged' },
  { id: 'path:limits-said', built: 'whole', rule: 'README says what the guard does not promise' },

  { id: 'risk:free', built: 'whole', rule: 'safe and read_only run without asking' },
  { id: 'risk:mutation', built: 'whole', rule: 'mutation asks, unless a grant covers it' },
  { id: 'risk:always', built: 'whole', rule: 'destructive and dangerous ask every time, without grants' },
  { id: 'risk:require-approval-for', built: 'whole', rule: 'listed tools ask every time' },
  { id: 'risk:pinned', built: 'whole', rule: 'what a run recorded at its start decides for all of it' },

  { id: 'hitl:order', built: 'whole', rule: 'validate, guard, ask, again if edited, execute what was shown' },
  { id: 'hitl:durable', built: 'whole', rule: 'a request waits in the workflow through restarts' },
  { id: 'hitl:signal', built: 'whole', rule: 'a signal and an update carry decisions' },
  {
    id: 'hitl:decision',
    built: 'whole',
    rule: "a decision names its request, arguments' digest and approver",
  },
  { id: 'hitl:revalidated', built: 'partly', rule: 'an activity validates each decision before it counts' },
  { id: 'hitl:refused-decision', built: 'whole', rule: 'a bad decision is refused and changes nothing' },
  { id: 'hitl:stale', built: 'whole', rule: 'a decision for anything but its pending request is refused' },
  { id: 'hitl:deny', built: 'whole', rule: 'denied is a status, and the reason reaches the model' },
  { id: 'hitl:expire', built: 'whole', rule: 'an undecided request expires and never executes' },
  { id: 'hitl:parallel', built: 'whole', rule: 'several gated calls are decided each on its own' },
  { id: 'hitl:edit-told', built: 'whole', rule: 'after an edit the model is told what ran' },
  { id: 'hitl:preview', built: 'whole', rule: 'an approver sees a preview, whose ground may not change' },
  { id: 'hitl:grants', built: 'whole', rule: 'a grant is per tool and run, listed and revocable' },
  { id: 'hitl:quorum', built: 'whole', rule: 'an agent may require several distinct approvers' },
  { id: 'hitl:authz', built: 'whole', rule: "the server's configuration says who may decide what" },
  { id: 'hitl:signed', built: 'whole', rule: 'only a signed decision counts' },
  { id: 'hitl:escalate', built: 'whole', rule: 'an undecided request is announced to the next approvers' },
  { id: 'hitl:notify', built: 'whole', rule: 'requests are announced to webhooks, signed' },

  { id: 'outcome:status', built: 'whole', rule: 'every call ends in exactly one outcome and one result' },
  { id: 'outcome:key', built: 'whole', rule: "run, turn and index are the key; a provider's id is a label" },
  { id: 'outcome:size', built: 'whole', rule: 'output is capped in bytes, with a notice' },

  {
    id: 'budget:errors',
    built: 'whole',
    rule: 'errors count by outcome status; denials have their own cap',
  },
  { id: 'budget:exhausted', built: 'whole', rule: 'on exhaustion no further tool runs' },
  { id: 'budget:repeat', built: 'whole', rule: 'the third identical call of the last 20 is refused' },
  { id: 'budget:turns', built: 'whole', rule: 'turns, tokens and time are capped by name' },
  { id: 'budget:durable', built: 'whole', rule: 'counters survive restart, replay and continue-as-new' },

  { id: 'surface:allow', built: 'whole', rule: 'tools is an allowlist, excludeTools always wins' },
  { id: 'surface:narrow-only', built: 'whole', rule: 'who starts a run may only narrow' },
  {
    id: 'surface:unknown-name',
    built: 'whole',
    rule: 'an unknown tool name fails the start, with near names',
  },
  { id: 'surface:default', built: 'whole', rule: 'read tools by default, edit and write when enabled' },
  { id: 'surface:no-shell', built: 'whole', rule: 'no tool of any source is named bash' },
  { id: 'surface:print', built: 'whole', rule: 'the effective surface is printed at start' },
  { id: 'surface:examples', built: 'whole', rule: 'the three example tools behave as described' },

  { id: 'builtin:read', built: 'partly', rule: 'read pages through text, every line exactly once' },
  { id: 'builtin:grep', built: 'partly', rule: 'grep searches by ripgrep without a shell, bounded' },
  { id: 'builtin:find-ls', built: 'whole', rule: 'find and ls name files as read accepts them' },
  { id: 'builtin:edit', built: 'partly', rule: 'edit changes exactly the unique matches or nothing' },
  { id: 'builtin:write', built: 'partly', rule: 'write is atomic and makes parents' },
  { id: 'builtin:concurrent', built: 'whole', rule: 'edits of one file are serial and never falsely ok' },

  { id: 'events:stream', built: 'whole', rule: 'typed, numbered events, followable from any number' },
  {
    id: 'events:no-args',
    built: 'whole',
    rule: 'logs and events hold no arguments, outputs, paths, secrets',
  },

  { id: 'run:activities', built: 'whole', rule: 'every call and turn goes through its activities' },
  { id: 'run:crash', built: 'whole', rule: 'a kill at any point loses and repeats nothing finished' },
  { id: 'run:at-most-once', built: 'whole', rule: 'a tool that is not idempotent starts at most once' },
  { id: 'run:idempotency-key', built: 'whole', rule: 'the key stays the same over attempts' },
  { id: 'run:transcript', built: 'whole', rule: 'messages live in a hash-linked chain in a store' },
  { id: 'run:continue-as-new', built: 'partly', rule: 'long runs continue as new and carry everything' },
  { id: 'run:payloads', built: 'whole', rule: "nothing over the server's limits ever reaches it" },
  { id: 'run:control', built: 'whole', rule: 'cancel, pause, resume and message a running run' },
  { id: 'run:compaction', built: 'not', rule: 'older turns are summarised as a recorded step' },
  { id: 'run:deterministic', built: 'whole', rule: "recorded histories replay on today's code" },
  { id: 'run:versioned', built: 'whole', rule: 'workflow changes are patched or versioned' },
  { id: 'run:subagents', built: 'not', rule: "a child agent's surface is no wider than its parent's" },

  { id: 'model:providers', built: 'partly', rule: 'any AI SDK provider, loaded only in the worker' },
  { id: 'model:failures', built: 'whole', rule: 'passing failures are retried, final ones told' },
  { id: 'model:clean', built: 'whole', rule: 'requests and keys never enter the history' },

  { id: 'api:http', built: 'whole', rule: 'runs and approvals over HTTP, with OpenAPI' },
  { id: 'api:auth', built: 'whole', rule: 'bearer tokens, roles, limits' },
  { id: 'api:page', built: 'whole', rule: 'a page with the inbox and the timeline' },
  { id: 'api:cli', built: 'partly', rule: 'one command for everything, with JSON and exit codes' },

  { id: 'audit:timeline', built: 'partly', rule: 'a timeline from a history alone' },
  { id: 'audit:verify', built: 'not', rule: 'an independent check proves or refutes a history' },
  { id: 'audit:replay', built: 'not', rule: 'histories replay, and differences are named' },
  { id: 'audit:bundle', built: 'not', rule: 'an export verifies offline' },
  { id: 'audit:archive', built: 'not', rule: "a continuation archives its predecessor's history" },

  { id: 'secure:codec', built: 'not', rule: 'payloads and transcripts are encrypted with a key' },
  { id: 'secure:secrets', built: 'partly', rule: 'no canary secret is found anywhere' },
  { id: 'secure:docs', built: 'not', rule: 'README says threat, promise, test and rest' },
];

/** Failures seen in other projects, each a case that must not happen here. */
export const HANDED_CASES: readonly Requirement[] = [
  { id: 'H01', built: 'whole', rule: 'sibling directory passes a string-prefix check' },
  { id: 'H02', built: 'whole', rule: 'symlinked directory inside leads outside' },
  { id: 'H03', built: 'whole', rule: 'write through a link in the last component' },
  { id: 'H04', built: 'whole', rule: 'the workspace itself is reached through a link' },
  { id: 'H05', built: 'whole', rule: 'protected path under another spelling' },
  { id: 'H06', built: 'whole', rule: 'target swapped between check and use' },
  { id: 'H07', built: 'whole', rule: 'guard fails open when it cannot see a path' },
  { id: 'H08', built: 'whole', rule: 'draft 2020-12 schemas meet a draft-07 validator' },
  { id: 'H09', built: 'whole', rule: 'one schema that does not compile' },
  { id: 'H10', built: 'whole', rule: 'nested value arrives as a JSON string' },
  { id: 'H11', built: 'whole', rule: 'truncated tool call executed' },
  { id: 'H12', built: 'whole', rule: 'remote reference fetched during validation' },
  { id: 'H13', built: 'whole', rule: 'call ids missing, repeated or reused' },
  { id: 'H14', built: 'whole', rule: 'a stale decision lands on a newer call' },
  { id: 'H15', built: 'whole', rule: 'edited arguments skip the checks' },
  { id: 'H16', built: 'whole', rule: 'nobody answers' },
  { id: 'H17', built: 'whole', rule: 'the reason for a denial does not reach the model' },
  { id: 'H18', built: 'whole', rule: 'several calls in one turn, some gated' },
  { id: 'H19', built: 'whole', rule: 'history grows with the square of the turns' },
  { id: 'H20', built: 'whole', rule: 'large values' },
  { id: 'H21', built: 'whole', rule: 'an expected tool failure is retried for ever' },
  { id: 'H22', built: 'whole', rule: 'a malformed signal or update stops the workflow' },
  { id: 'H23', built: 'whole', rule: 'replay differs with cache or tool list' },
  { id: 'H24', built: 'whole', rule: 'side effect repeated' },
  { id: 'H25', built: 'whole', rule: 'the same failing call for ever' },
  { id: 'H26', built: 'whole', rule: 'errors inferred from output text' },
  { id: 'H27', built: 'whole', rule: 'replacement text interpreted' },
  { id: 'H28', built: 'whole', rule: 'CRLF and BOM' },
  { id: 'H29', built: 'whole', rule: 'search pattern starting with a dash' },
  { id: 'H30', built: 'whole', rule: 'parallel edits of one file' },
];
