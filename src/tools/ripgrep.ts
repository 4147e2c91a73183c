import { runRipgrep, type SearchEnd } from './ripgrep-process.js';

const NEWLINE = 0x0a;

/** Each record complete by itself; long lines cut. */
const FLAGS: readonly string[] = [
  '--no-heading',
  '--no-context-separator',
  '--with-filename',
  '--line-number',
  '--max-columns=500',
  '--max-columns-preview',
];

export interface SearchQuery {
  readonly pattern: string;
  /** The pattern is text, not a regular expression. */
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** Lines shown around a hit. */
  readonly context: number;
  /** Globs, without regard to case, of what is never searched. */
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

/**
 * Searches in `root` by ripgrep and gives its records as they come, in the order of paths. Pattern and
 * path are never taken for options. Ends and throws as `runRipgrep` does.
 */
export function ripgrep(
  program: string,
  root: string,
  query: SearchQuery,
  signal: AbortSignal,
): AsyncGenerator<SearchRecord, SearchEnd> {
  const flags = flagsOf(query);
  return runRipgrep({ program, root, flags, path: query.path, delimiter: NEWLINE, parse, signal });
}

function flagsOf({ pattern, literal, ignoreCase, context, never }: SearchQuery): string[] {
  return [
    ...FLAGS,
    `--context=${context}`,
    ...(literal ? ['--fixed-strings'] : []),
    ignoreCase ? '--ignore-case' : '--case-sensitive',
    '--glob=!.git',
    ...never.map((secret) => `--iglob=!${secret}`),
    ...['-e', pattern],
  ];
}

/** Undefined for what is no hit, such as ripgrep's word that it stopped in a binary file. */
function parse(record: Buffer): SearchRecord | undefined {
  const found = /^\.\/(?<path>[^\0]+)\0(?<line>\d+)(?<kind>[:-])(?<text>.*)$/s.exec(
    record.toString(),
  )?.groups;
  if (found?.['path'] === undefined || found['line'] === undefined || found['text'] === undefined)
    return undefined;
  return {
    path: found['path'],
    line: Number(found['line']),
    kind: found['kind'] === ':' ? 'match' : 'context',
    text: found['text'].replace(/\r$/, ''),
  };
}
