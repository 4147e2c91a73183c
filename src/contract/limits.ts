/** Limits that hold everywhere, with units. README's table of limits is compared with this. */
export const LIMITS = {
  /** Largest payload of a signed decision, bytes of JSON: base64url takes a third more than what is signed. */
  decisionBytes: 400 * 1024,
  /** Decisions that may wait to be judged at once in one run. */
  queuedDecisions: 100,
  /** Answers kept for repeated decisionIds (`hitl:stale`). */
  keptAnswers: 1000,
  /** Answers kept, bytes of JSON: fewer than 1,000 when names and ids are very long. */
  keptAnswersBytes: 512 * 1024,
  /** Ends of requests kept for late decisions, bytes of JSON. */
  keptEndsBytes: 256 * 1024,
  /** Requests that wait for people at once in one run, bytes of JSON; further ones are made as these end. */
  pendingBytes: 1024 * 1024,
  /** Requests of a run that an inbox lists without asking the run; it says how many more wait. */
  summarisedRequests: 10,
  /** Largest argument text of one call, bytes. */
  argumentBytes: 256 * 1024,
  /** Deepest nesting of arguments and of any other JSON value that comes from outside. */
  jsonDepth: 200,
  /** Deepest nesting of a whole payload: room for such a value in what holds it. */
  payloadDepth: 250,
  /** Longest place that a fault names as a JSON Pointer, characters. */
  pointerCharacters: 1024,
  /** Default cap of a tool's output, bytes (`outcome:size`). */
  outputBytes: 50 * 1024,
  /** Default cap of a tool's output, lines. */
  outputLines: 2000,
  /** Largest output that is kept as a whole when an agent keeps them, bytes. */
  wholeOutputBytes: 64 * 1024 * 1024,
  /** Largest `details` of an outcome, bytes of JSON. */
  detailsBytes: 64 * 1024,
  /** Longest preview of a call, bytes of JSON; the rest is cut off with a notice. */
  previewBytes: 64 * 1024,
  /** Webhooks of one worker. */
  webhooks: 10,
  /** Approvers that an announcement names; of further ones it tells the number. */
  announcedApprovers: 100,
  /** Calls remembered for the repeat guard (`budget:repeat`). */
  recentCalls: 20,
  /** Longest message into a running run, bytes of JSON. */
  messageBytes: 64 * 1024,
  /** Messages that may wait for the next turn, bytes of JSON. */
  queuedMessagesBytes: 256 * 1024,
  /** Largest payload of a control, bytes of JSON. */
  controlBytes: 128 * 1024,
  /** Messages that may wait for the next turn. */
  queuedMessages: 20,
  /** Budgets that one extension may name. */
  extendedBudgets: 32,
  /** Extensions of the budgets of one run. */
  extensions: 100,
  /** Longest id of a run, characters: every key and every kept answer bears it. */
  runIdCharacters: 256,
  /** Largest start request, characters of JSON. */
  startCharacters: 512 * 1024,
  /** Largest body of a start over HTTP, bytes. */
  startBodyBytes: 1024 * 1024,
  /** Largest body of any other HTTP request, bytes: a signed decision with room around it. */
  requestBytes: 416 * 1024,
  /** Longest bearer token, characters: a JWT may list many groups. */
  tokenCharacters: 8192,
  /** HTTP requests of one token in a minute. */
  requestsPerMinute: 600,
  /** HTTP requests without a valid token from one address in a minute that get a 401; further ones get a 429. */
  refusalsPerMinute: 30,
  /** Event streams that one token may hold open at once, in one process of the API. */
  openStreams: 20,
  /** Largest prompt of a start, bytes. */
  promptBytes: 256 * 1024,
  /** Largest manifest of a run, bytes of JSON: schemas, descriptions, instructions. */
  manifestBytes: 512 * 1024,
  /** What a run sends in one workflow task, bytes: the server's limit of a message is 4 MiB. */
  taskBytes: 2560 * 1024,
  /** Largest state that a run carries when it continues as new, bytes: the server's limit of a payload is 2 MiB. */
  carriedBytes: 1900 * 1024,
  /** A run continues as new past so much history, bytes; the server ends one at 50 MB (`run:continue-as-new`). */
  executionBytes: 6 * 1024 * 1024,
  /** A run continues as new past so many updates; the server takes 2,000. */
  executionUpdates: 500,
  /** Past so much history no decision is taken by update until the run has continued as new, bytes. */
  crowdedBytes: 32 * 1024 * 1024,
  /** How much of the model's words around a call an approver is shown, characters. */
  shownTextCharacters: 4000,
  /** Longest decisionId, characters. */
  decisionIdCharacters: 128,
  /** Longest key of a request, characters. */
  keyCharacters: 512,
  /** Largest reason of a decision, characters. */
  reasonCharacters: 4000,
} as const;
