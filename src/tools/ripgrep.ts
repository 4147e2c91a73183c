import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { FileProblem } from '../workspace/file-problem.js';

const NEWLINE = 0x0a;
/** Longest record taken: a path, a number, and a line that ripgrep has cut. Longer ones are dropped. */
const MAX_RECORD_BYTES = 64 * 1024;
const MAX_COMPLAINT_CHARACTERS = 16 * 1024;

/** The same on every machine; in the order of paths; each record complete by itself; long lines cut. */
const FLAGS: readonly string[] = [
  '--no-config',
  '--no-ignore-global',
  '--no-require-git',
  '--no-follow',
  '--hidden',
  '--sort=path',
  '--color=never',
  '--no-heading',
  '--no-context-separator',
  '--with-filename',
  '--line-number',
  '--null',
  '--max-columns=500',
  '--max-columns-preview',
];

export interface SearchQuery {
  readonly pattern: string;
  /** The pattern is text, not a regular expression. */
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  readonly glob?: string;
  /** Lines shown around a hit. */
  readonly context: number;
  /** Globs, without regard to case, of what is never searched; they win over `glob`. */
  readonly never: readonly string[];
  /** Relative to the root; `.` is the root. */
  readonly path: string;
}

export interface SearchRecord {
  /** Relative to the root. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly kind: 'match' | 'context';
  readonly text: string;
}

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

/**
 * Runs ripgrep in `root`, without a shell, a configuration or an environment, and gives its records as they
 * come, in the order of paths. Pattern, glob and path are never taken for options. Links are not followed.
 * Ends early, without a throw, when `signal` is aborted; leaving the loop kills the process.
 * Throws FileProblem when the program cannot be started.
 */
export async function* ripgrep(
  program: string,
  root: string,
  query: SearchQuery,
  signal: AbortSignal,
): AsyncGenerator<SearchRecord, SearchEnd> {
  const child = spawn(program, argumentsOf(query), { cwd: root, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
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
    for await (const record of recordsOf(child.stdout)) {
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

function argumentsOf({ pattern, literal, ignoreCase, glob, context, never, path }: SearchQuery): string[] {
  return [
    ...FLAGS,
    `--context=${context}`,
    ...(literal ? ['--fixed-strings'] : []),
    ignoreCase ? '--ignore-case' : '--case-sensitive',
    '--glob=!.git',
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
    ...never.map((secret) => `--iglob=!${secret}`),
    ...['-e', pattern, '--', path === '.' ? './' : `./${path}`],
  ];
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

async function* recordsOf(output: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of output) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (size + end - start <= MAX_RECORD_BYTES)
        yield Buffer.concat([...parts, chunk.subarray(start, end)]).toString();
      parts = [];
      size = 0;
      start = end + 1;
    }
    size += chunk.length - start;
    if (size <= MAX_RECORD_BYTES) parts.push(chunk.subarray(start));
  }
}

/** Undefined for what is no hit, such as ripgrep's word that it stopped in a binary file. */
function parse(record: string): SearchRecord | undefined {
  const found = /^\.\/(?<path>[^\0]+)\0(?<line>\d+)(?<kind>[:-])(?<text>.*)$/s.exec(record)?.groups;
  if (found?.['path'] === undefined || found['line'] === undefined || found['text'] === undefined)
    return undefined;
  return {
    path: found['path'],
    line: Number(found['line']),
    kind: found['kind'] === ':' ? 'match' : 'context',
    text: found['text'].replace(/\r$/, ''),
  };
}
