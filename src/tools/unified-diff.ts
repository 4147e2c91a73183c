import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';

/** Most bytes of a diff that is shown, its notice left out. */
const MAX_BYTES = 64 * 1024;
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
 * A unified diff with three lines of context, cut after 64 KiB with a notice. Texts that differ in more than
 * 3,000 lines get a sentence instead. Lines are shown as they are: whoever shows them makes control characters
 * visible.
 */
export function unifiedDiff({ path, before, after }: TextChange): string {
  const from = before === undefined ? '/dev/null' : path;
  const diff = createTwoFilesPatch(from, path, before ?? '', after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    // Where one side is empty there is nothing to search for.
    maxEditLength: !before || after === '' ? Infinity : MAX_CHANGED_LINES,
  });
  if (diff === undefined) {
    return `No diff: the file changes in more than ${MAX_CHANGED_LINES} lines, from ${linesOf(before ?? '')} lines to ${linesOf(after)}. See the arguments.`;
  }
  const bytes = Buffer.from(diff);
  if (bytes.length <= MAX_BYTES) return diff;
  // As a stream, so that a character that was cut through is left out.
  const shown = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, MAX_BYTES), {
    stream: true,
  });
  return `${shown}\n[The diff has ${bytes.length} bytes; only its beginning is shown. See the arguments.]\n`;
}

/** A last line without an end counts. */
export function linesOf(text: string): number {
  const ends = text.split('\n').length;
  return text === '' || text.endsWith('\n') ? ends - 1 : ends;
}
