import type { HoldfastClient } from '../client.js';
import type { ApprovalRequest } from '../contract/decision.js';
import type { DecisionErrorCode } from '../contract/error-codes.js';
import { HoldfastError } from '../contract/error-codes.js';
import type { CommandContext } from './command-line.js';
import { decideOnce, decideRequest, nothingDecided, reportAnswer, withRequest } from './decide-request.js';
import { editArguments, givenArguments } from './dev/edit-arguments.js';
import { requestLines } from './dev/show-request.js';
import type { EditOptions } from './edit.js';
import type { Exit } from './exit-codes.js';
import { printableLine } from './printable.js';

/** Answers after which the same person may mend what was edited. */
const MENDABLE: readonly DecisionErrorCode[] = ['edit_invalid', 'edit_refused', 'decision_too_large'];

/** Decides with edited arguments: those given, or those that a person writes now. */
export async function editRequest(
  first: string,
  call: string | undefined,
  options: EditOptions,
  context: CommandContext,
): Promise<Exit> {
  const { terminal, interrupts } = context;
  const { args, approver, yes, json = false } = options;
  if (args !== undefined) {
    const draft = { decision: 'edit', args: givenArguments(args), approver } as const;
    return decideOnce(first, call, draft, { terminal, json, yes, signal: interrupts.signal });
  }
  if (!terminal.interactive) {
    throw new HoldfastError('invalid_config', 'There is no terminal to edit on: give --args.');
  }
  return withRequest(first, call, terminal, (client, request) => editHere(client, request, options, context));
}

/** What a person wrote and the tool's schema or the guard refused is theirs to mend, so that no work is lost. */
async function editHere(
  client: HoldfastClient,
  request: ApprovalRequest,
  { approver, json = false }: EditOptions,
  { terminal, settings, interrupts }: CommandContext,
): Promise<Exit> {
  const { signal } = interrupts;
  let { args } = request;
  for (const line of requestLines(request, terminal.colors)) terminal.print(line);
  for (;;) {
    const edited = await editArguments(args, { terminal, editor: settings.editor, signal });
    if (!edited) return nothingDecided(terminal);
    let problem: string;
    if ('problem' in edited) problem = edited.problem;
    else {
      ({ args } = edited);
      const answer = await decideRequest(client, request, { decision: 'edit', args, approver }, terminal);
      if (answer.counted || !MENDABLE.includes(answer.code)) {
        return reportAnswer(answer, request, { terminal, json });
      }
      problem = `${terminal.colors.red(answer.code)}: ${printableLine(answer.text, 2000)}`;
    }
    terminal.print(`  ${problem}`);
    const again = await terminal.ask('  [e]dit again or [q]uit? ', signal);
    if (!/^e/i.test(again?.trim() ?? 'q')) return nothingDecided(terminal);
  }
}
