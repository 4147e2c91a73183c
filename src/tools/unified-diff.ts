import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { Preview } from '../contract/preview.js';

/** Most lines that two texts may differ in: what the time is bounded by, which grows with its square. */
const MAX_CHANGED_LINES = 3000;

export interface TextChange {
  /** Relative to the workspace root. */
  readonly path: string;
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * A unified diff with three lines of context. Texts that differ in more than 3,000 lines get a sentence instead.
 * Lines are shown as they are: whoever shows them makes control characters visible.
 */
export function unifiedDiff({ path, before, after }: TextChange): Pick<Preview, 'kind' | 'text'> {
  const from = before === undefined ? '/dev/null' : path;
  const diff = createTwoFilesPatch(from, path, before ?? '', after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    // Where one side is empty there is nothing to search for.
    maxEditLength: !before || after === '' ? Infinity : MAX_CHANGED_LINES,
  });
  if (diff !== undefined) return { kind: 'diff', text: diff };
  const [had, has] = [linesOf(before ?? ''), linesOf(after)];
  const text = `No diff: the file changes in more than ${MAX_CHANGED_LINES} lines, from ${had} lines to ${has}. See the arguments.`;
  return { kind: 'text', text };
}

/** A last line without an end counts. */
export function linesOf(text: string): number {
  const ends = text.split('\n').length;
  return text === '' || text.endsWith('\n') ? ends - 1 : ends;
}
