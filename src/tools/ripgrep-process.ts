import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { FileProblem } from '../workspace/file-problem.js';

/** Longest record taken: a path, a number, and a line that ripgrep has cut. Longer ones are dropped. */
const MAX_RECORD_BYTES = 64 * 1024;
const MAX_COMPLAINT_CHARACTERS = 16 * 1024;

/** The same on every machine; in the order of paths; names ended by NUL; no link followed. */
const FLAGS: readonly string[] = [
  '--no-config',
  '--no-ignore-global',
  '--no-require-git',
  '--no-follow',
  '--hidden',
  '--sort=path',
  '--color=never',
  '--null',
];

export interface SearchEnd {
  /** Null when it was killed. */
  readonly exitCode: number | null;
  readonly complaints: Complaints;
}

/** What ripgrep wrote to standard error. */
export interface Complaints {
  /** Places that could not be read. */
  unreadable: number;
  /** Anything else; may hold the pattern. */
  text: string;
}

export interface RipgrepCall<T> {
  /** Path of the program. */
  readonly program: string;
  /** The directory it runs in. */
  readonly root: string;
  /** Beside the flags that every call has. What a model wrote stands after `--`, or as `--flag=text`. */
  readonly flags: readonly string[];
  /** Relative to the root; `.` is the root. */
  readonly path: string;
  /** The byte that ends a record. */
  readonly delimiter: number;
  /** Undefined for a record that is to be left out. */
  readonly parse: (record: Buffer) => T | undefined;
  /** Ends the run early, without a throw. */
  readonly signal: AbortSignal;
}

/**
 * Runs ripgrep, without a shell, a configuration or an environment, and gives its records as they come, in the
 * order of paths. Leaving the loop kills the process. Throws FileProblem when the program cannot be started.
 */
export async function* runRipgrep<T>(call: RipgrepCall<T>): AsyncGenerator<T, SearchEnd> {
  const { program, root, flags, path, delimiter, parse, signal } = call;
  const args = [...FLAGS, ...flags, '--', path === '.' ? './' : `./${path}`];
  const child = spawn(program, args, { cwd: root, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = () => void child.kill('SIGKILL');
  const complaints = complaintsOf(child.stderr);
  const closed = once(child, 'close').catch((cause: unknown) => {
    throw new FileProblem('The search program could not be started. Use read, and tell the operator.', {
      cause,
    });
  });
  /** Awaited below; until then a failed start must not count as unhandled. */
  closed.catch(() => undefined);
  signal.addEventListener('abort', kill);
  if (signal.aborted) kill();
  try {
    for await (const record of recordsOf(child.stdout, delimiter)) {
      const parsed = parse(record);
      if (parsed !== undefined) yield parsed;
    }
    await closed;
    return { exitCode: child.exitCode, complaints };
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}

/** Filled as the lines come. */
function complaintsOf(errors: Readable): Complaints {
  const complaints = { unreadable: 0, text: '' };
  createInterface({ input: errors }).on('line', (line) => {
    if (/\(os error \d+\)$/.test(line)) complaints.unreadable += 1;
    else if (complaints.text.length < MAX_COMPLAINT_CHARACTERS) complaints.text += `${line}\n`;
  });
  return complaints;
}

async function* recordsOf(output: AsyncIterable<Buffer>, delimiter: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of output) {
    let start = 0;
    for (let end = chunk.indexOf(delimiter); end >= 0; end = chunk.indexOf(delimiter, start)) {
      if (size + end - start <= MAX_RECORD_BYTES) yield Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      size = 0;
      start = end + 1;
    }
    size += chunk.length - start;
    if (size <= MAX_RECORD_BYTES) parts.push(chunk.subarray(start));
  }
}
