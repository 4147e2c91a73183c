import { decisionFor, type DecisionDraft, type HoldfastClient } from '../client.js';
import type { ApprovalRequest, DecisionAnswer } from '../contract/decision.js';
import { HoldfastError } from '../contract/error-codes.js';
import { decideOrSend } from '../runs/decide-or-send.js';
import { requestLines } from './dev/show-request.js';
import { exitFor, type Exit } from './exit-codes.js';
import { callNumber } from '../runs/call-number.js';
import { findRequest, requestName } from '../runs/find-request.js';
import { withClient } from './open-client.js';
import { jsonLine } from './print-json.js';
import { printable, printableLine } from './printable.js';
import type { Terminal } from './terminal.js';

export interface ReportOptions {
  readonly terminal: Terminal;
  readonly json: boolean;
}

export interface DecideOptions extends ReportOptions {
  /** Decide although nobody was shown the request here. Default false. */
  readonly yes?: boolean | undefined;
  readonly signal: AbortSignal;
}

/**
 * Finds the request, decides as drafted and says what became of it. What lets a call run is shown first and asked
 * about, unless the request was named by its key, which stands for exactly one call, and holds its first arguments.
 * Throws HoldfastError `invalid_config` when it cannot be shown.
 */
export function decideOnce(
  first: string,
  call: string | undefined,
  draft: DecisionDraft,
  options: DecideOptions,
): Promise<Exit> {
  const { terminal, json, yes = false } = options;
  const shows = terminal.interactive && !json;
  const asks = draft.decision !== 'deny' && !yes;
  if (asks && call !== undefined && !shows) {
    const how = 'name it by its key, which `holdfast approvals --json` gives, or add --yes';
    throw new HoldfastError('invalid_config', `The request cannot be shown here: ${how}.`);
  }
  return withRequest(first, call, terminal, async (client, request) => {
    // Its key is that of before, but its arguments are another person's.
    const edited = request.edited !== undefined;
    if (asks && edited && !shows) {
      const how = 'look at them with `holdfast approvals --json`, then add --yes';
      throw new HoldfastError('invalid_config', `The request's arguments were edited: ${how}.`);
    }
    const unseen = call !== undefined || edited;
    if (asks && unseen && !(await wanted(request, draft, options))) return nothingDecided(terminal);
    return reportAnswer(await decideRequest(client, request, draft, terminal), request, options);
  });
}

/** Shows what would run and asks. */
async function wanted(
  request: ApprovalRequest,
  { args }: DecisionDraft,
  { terminal, signal }: DecideOptions,
): Promise<boolean> {
  for (const line of requestLines(request, terminal.colors)) terminal.print(line);
  if (args) terminal.print(`  edited arguments\n${printable(JSON.stringify(args, undefined, 2))}\n`);
  const answer = await terminal.ask('  Run it? [y]es or [n]o? ', signal);
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

/** The end of a command that showed a request to a person who did not want it decided. */
export function nothingDecided({ print }: Pick<Terminal, 'print'>): Exit {
  print('Nothing was decided; the request waits on.');
  return 'undecided';
}

/** Runs the body with the request that waits by this name. Throws as `requestName` and `findRequest` do. */
export function withRequest<T>(
  first: string,
  call: string | undefined,
  { complain }: Pick<Terminal, 'complain'>,
  body: (client: HoldfastClient, request: ApprovalRequest) => Promise<T>,
): Promise<T> {
  const name = requestName(first, call);
  return withClient(async (client) => body(client, await findRequest(client, name, { say: complain })));
}

/**
 * Decides about exactly the arguments of this request and gives the answer. When the worker is lost meanwhile the
 * same decision goes by signal too, and HoldfastError `no_worker` says so: it is judged once a worker is back.
 */
export async function decideRequest(
  client: HoldfastClient,
  request: ApprovalRequest,
  draft: DecisionDraft,
  { complain }: Pick<Terminal, 'complain'>,
): Promise<DecisionAnswer> {
  const answer = await decideOrSend(client, request.runId, decisionFor(request, draft), { say: complain });
  if (answer !== 'sent') return answer;
  const text = 'No worker answers. The decision waits in the run, and is judged once a worker is back.';
  throw new HoldfastError('no_worker', text);
}

const WORDS = { approve: 'Approved', edit: 'Approved as edited', deny: 'Denied' } as const;

function missing(remaining = 0): string {
  if (remaining === 0) return '';
  return ` It runs once ${remaining === 1 ? 'another approver has' : `${String(remaining)} other approvers have`} approved it.`;
}

/** Says what became of a decision, and how the command ends. */
export function reportAnswer(
  answer: DecisionAnswer,
  { runId, tool, call: made }: ApprovalRequest,
  { terminal, json }: ReportOptions,
): Exit {
  if (json) terminal.print(jsonLine({ runId, ...answer }));
  if (!answer.counted) {
    if (!json) terminal.complain(`${answer.code}: ${printableLine(answer.text, 2000)}`);
    return exitFor(answer.code);
  }
  const call = `${printableLine(tool, 64)}, call ${callNumber(made)} of ${printable(runId)}`;
  if (!json) terminal.print(`${WORDS[answer.decision]}: ${call}.${missing(answer.remaining)}`);
  return 'ok';
}
