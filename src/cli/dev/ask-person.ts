import { decisionFor } from '../../client.js';
import type { ApprovalRequest, Decision, DecisionAnswer } from '../../contract/decision.js';
import type { DecisionErrorCode } from '../../contract/error-codes.js';
import type { JsonObject } from '../../contract/json.js';
import { printable } from '../printable.js';
import type { Terminal } from '../terminal.js';
import { editArguments } from './edit-arguments.js';
import { requestLines } from './show-request.js';

export interface AskOptions {
  readonly terminal: Terminal;
  /** Who decides: a name that is claimed, not proved. */
  readonly approver: string;
  readonly editor: string | undefined;
  readonly decide: (decision: Decision) => Promise<DecisionAnswer>;
  /** Ends the asking; `askPerson` rejects then. */
  readonly signal: AbortSignal;
}

/** Answers after which this request waits no longer. */
const OVER: readonly DecisionErrorCode[] = [
  'unknown_request',
  'request_decided',
  'request_expired',
  'request_withdrawn',
  'run_closed',
];

/**
 * Shows a request and asks until it is decided, by this person or another. A decision that is refused is
 * explained and asked for again, an edit starting from what was last tried. False when the input ended.
 */
export async function askPerson(request: ApprovalRequest, options: AskOptions): Promise<boolean> {
  const { terminal, decide } = options;
  let args = request.args;
  for (const line of requestLines(request, terminal.colors)) terminal.print(line);
  for (;;) {
    const ruling = await rule(args, options);
    if (!ruling) return false;
    if ('problem' in ruling) {
      terminal.print(`  ${ruling.problem}`);
      continue;
    }
    const answer = await decide(decisionFor(request, { approver: options.approver, ...ruling }));
    if (answer.counted) return true;
    terminal.print(`  ${terminal.colors.red(answer.code)}: ${printable(answer.text)}`);
    if (OVER.includes(answer.code)) return true;
    args = ruling.args ?? args;
  }
}

type Ruling = Pick<Decision, 'decision' | 'args' | 'reason'>;

/** What the person says, or why that is no ruling. Undefined when the input ended. */
async function rule(
  args: JsonObject,
  { terminal, editor, signal }: AskOptions,
): Promise<Ruling | { readonly problem: string } | undefined> {
  const answer = await terminal.ask('  [a]pprove, [e]dit or [d]eny? ', signal);
  switch (answer?.trim().toLowerCase()) {
    case undefined:
      return undefined;
    case 'a':
    case 'approve':
      return { decision: 'approve' };
    case 'd':
    case 'deny': {
      const reason = await terminal.ask('  reason, which the model reads: ', signal);
      return reason === undefined
        ? undefined
        : { decision: 'deny', ...(reason.trim() && { reason: reason.trim() }) };
    }
    case 'e':
    case 'edit': {
      const edited = await editArguments(args, { terminal, editor, signal });
      return edited && 'args' in edited ? { decision: 'edit', args: edited.args } : edited;
    }
    default:
      return { problem: 'Type a, e or d.' };
  }
}
