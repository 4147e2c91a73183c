import { decisionFor } from '../client.js';
import { HoldfastError } from '../contract/error-codes.js';
import { APPROVAL_SIGNAL } from '../contract/names.js';
import { withRequest } from './decide-request.js';
import { givenArguments } from './dev/edit-arguments.js';
import type { Exit } from './exit-codes.js';
import { jsonLine } from './print-json.js';
import { printable } from './printable.js';
import type { SignOptions } from './sign-decision.js';
import type { Terminal } from './terminal.js';

/** Signs a decision about a request that waits and prints it; sends nothing. */
export async function printSigned(
  first: string,
  call: string | undefined,
  { decision, approver, args, reason, run = false, json = false }: SignOptions,
  terminal: Terminal,
): Promise<Exit> {
  const draft = {
    decision,
    approver,
    ...argumentsOf(decision, args),
    ...(reason !== undefined && { reason }),
    ...(run && { scope: 'run' as const }),
  };
  return withRequest(first, call, terminal, async (client, request) => {
    const signed = await client.signed(decisionFor(request, draft));
    if (json) terminal.print(jsonLine({ runId: request.runId, signal: APPROVAL_SIGNAL, input: signed }));
    else {
      terminal.print(JSON.stringify(signed));
      terminal.complain(
        `Send it as the signal ${APPROVAL_SIGNAL} of workflow ${printable(request.runId)}, such as with temporal workflow signal --input.`,
      );
    }
    return 'ok' as const;
  });
}

function argumentsOf(decision: SignOptions['decision'], text: string | undefined) {
  if ((decision === 'edit') !== (text !== undefined)) {
    throw new HoldfastError('invalid_config', 'An edit needs --args, and nothing else has it.');
  }
  return text === undefined ? {} : { args: givenArguments(text) };
}
