import { isUtf8 } from 'node:buffer';
import { createInterface } from 'node:readline/promises';
import pc from 'picocolors';

export type Colors = ReturnType<typeof pc.createColors>;

export interface Streams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean; readonly readableEnded?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream;
}

/** Where a command speaks, and where a person answers. */
export interface Terminal {
  readonly print: (text?: string) => void;
  /** Problems and what comes of them; never results. */
  readonly complain: (line: string) => void;
  /** Off when standard output is no terminal, and by NO_COLOR. */
  readonly colors: Colors;
  /** Columns of the terminal; infinite where standard output is none, so that programs read all of it. */
  readonly width: number;
  /** Whether a person can be asked: both standard input and output are a terminal. */
  readonly interactive: boolean;
  /** One line that a person types. Undefined when the input ends; rejects when the signal aborts. */
  readonly ask: (question: string, signal: AbortSignal) => Promise<string | undefined>;
  /** All of standard input, as text. Undefined when it is more than `most` bytes or no UTF-8. */
  readonly readInput: (most: number) => Promise<string | undefined>;
}

/** @param interrupt what Ctrl-C does while a person is asked; the terminal sends no signal then. */
export function openTerminal({ stdin, stdout, stderr }: Streams, interrupt: () => void): Terminal {
  return {
    print: (text = '') => {
      stdout.write(`${text}\n`);
    },
    complain: (line) => {
      stderr.write(`${line}\n`);
    },
    colors: pc.createColors(stdout.isTTY === true && pc.isColorSupported),
    width: stdout.isTTY === true && stdout.columns ? stdout.columns : Infinity,
    interactive: stdin.isTTY === true && stdout.isTTY === true,
    ask: async (question, signal) => {
      // An interface to a stream that has ended never closes.
      if (stdin.readableEnded) return undefined;
      const lines = createInterface({ input: stdin, output: stdout });
      lines.on('SIGINT', interrupt);
      try {
        const ended = new Promise<undefined>((resolve) => {
          lines.once('close', () => resolve(undefined));
        });
        return await Promise.race([lines.question(question, { signal }), ended]);
      } finally {
        lines.close();
      }
    },
    readInput: (most) => textOf(stdin, most),
  };
}

async function textOf(stream: NodeJS.ReadableStream, most: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > most) return undefined;
    chunks.push(part);
  }
  const all = Buffer.concat(chunks);
  return isUtf8(all) ? all.toString('utf8') : undefined;
}
