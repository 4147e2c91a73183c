import { PassThrough, Writable } from 'node:stream';
import { openTerminal, type Terminal } from '../../src/cli/terminal.js';

/** A person at a terminal, who answers each question with the next line, or ends the input. */
export interface Person {
  readonly terminal: Terminal;
  /** Everything that was shown on standard output. */
  readonly shown: () => string;
  readonly complaints: () => string;
}

const END = Symbol('end of input');
export type Answer = string | typeof END;
export const endOfInput: Answer = END;

/** @param tty whether both ends claim to be a terminal. */
export function person(answers: readonly Answer[], tty = false): Person {
  const stdin = Object.assign(new PassThrough(), { isTTY: tty });
  const waiting = [...answers];
  const shown: string[] = [];
  const complaints: string[] = [];
  const stdout = Object.assign(
    collecting(shown, (text) => {
      if (!/[?:] $/.test(text)) return;
      const answer = waiting.shift();
      if (answer === undefined) throw new Error(`nobody was to answer: ${text}`);
      setImmediate(() => {
        if (typeof answer === 'string') stdin.write(`${answer}\n`);
        else stdin.end();
      });
    }),
    { isTTY: tty },
  );
  return {
    terminal: openTerminal({ stdin, stdout, stderr: collecting(complaints) }, () => undefined),
    shown: () => shown.join(''),
    complaints: () => complaints.join(''),
  };
}

function collecting(into: string[], seen: (text: string) => void = () => undefined): Writable {
  return new Writable({
    decodeStrings: false,
    write: (chunk: unknown, _encoding, done) => {
      into.push(String(chunk));
      seen(String(chunk));
      done();
    },
  });
}
