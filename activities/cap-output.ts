import { LIMITS } from '../src/contract/limits.js';
import { wellFormed } from '../src/transcript/well-formed.js';

/** Room kept for the notice, bytes. */
const NOTICE_BYTES = 256;
/** Lines past the limit that are let through: a tool that shows a full page ends it with a notice of its own. */
const OWN_NOTICE_LINES = 4;

/**
 * A tool's text as the model may have it (`outcome:size`): at most `maxBytes` of UTF-8 and 2,000 lines, cut at a
 * character's border, the notice included, which says how much there was and how to go on. Half of a surrogate
 * pair becomes U+FFFD, since it has no UTF-8.
 *
 * @param words at the end of the notice. Default: none.
 */
export function capOutput(text: string, maxBytes: number, words = ''): string {
  if (fits(text, maxBytes)) return wellFormed(text);
  const whole = Buffer.from(wellFormed(text));
  const lines = lineCount(whole);
  const room = maxBytes - NOTICE_BYTES - Buffer.byteLength(words);
  const end = Math.min(endOfLine(whole, LIMITS.outputLines), Math.max(room, 0));
  const shown = whole.subarray(0, characterBorder(whole, end));
  const share = `${shown.length} of ${whole.length} bytes, ${lineCount(shown)} of ${lines} lines`;
  return `${shown.toString()}\n\n[Output cut: ${share} are shown. To see the rest, ask for less or for a later part.${words}]`;
}

/** Whether an output is shown as it is. */
export function fits(text: string, maxBytes: number): boolean {
  const bytes = Buffer.from(wellFormed(text));
  return bytes.length <= maxBytes && lineCount(bytes) <= LIMITS.outputLines + OWN_NOTICE_LINES;
}

/** A last line without an end counts. */
function lineCount(bytes: Buffer): number {
  let count = 0;
  let start = 0;
  while (start < bytes.length) {
    count += 1;
    const newline = bytes.indexOf(0x0a, start);
    start = newline < 0 ? bytes.length : newline + 1;
  }
  return count;
}

/** Where the nth line ends, without its newline; the end of all when there are fewer. */
function endOfLine(bytes: Buffer, n: number): number {
  let newline = -1;
  for (let line = 0; line < n; line += 1) {
    newline = bytes.indexOf(0x0a, newline + 1);
    if (newline < 0) return bytes.length;
  }
  return newline;
}

/** The last border of a character at or before `end`. */
function characterBorder(bytes: Buffer, end: number): number {
  let border = end;
  while (border > 0 && ((bytes[border] ?? 0) & 0xc0) === 0x80) border -= 1;
  return border;
}
