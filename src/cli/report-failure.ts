import { HoldfastError } from '../contract/error-codes.js';
import { exitFor, type Exit } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** One line on standard error, `code: message`, and how the command ends. The stack only for debugging. */
export function reportFailure(error: unknown, terminal: Terminal, debug: boolean): Exit {
  const known = error instanceof HoldfastError;
  const message = error instanceof Error ? error.message : String(error);
  const [line = ''] = message.split('\n');
  terminal.complain(
    known
      ? `${error.code}: ${line}`
      : `internal_error: ${line}${debug ? '' : ' (HOLDFAST_DEBUG=true shows the stack.)'}`,
  );
  if (debug && error instanceof Error && error.stack) terminal.complain(error.stack);
  return known ? exitFor(error.code) : 'failed';
}
