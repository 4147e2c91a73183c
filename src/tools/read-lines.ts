import type { FileHandle } from 'node:fs/promises';
import { FileProblem } from '../workspace/file-problem.js';

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

export interface LineWindow {
  /** 1-based. */
  readonly first: number;
  /** Most lines shown. */
  readonly lines: number;
  /** Most bytes shown. */
  readonly bytes: number;
}

export interface ShownLines {
  /** Without the last line's end; CRLF as LF. */
  readonly text: string;
  /** 1-based number of the last line shown; `first - 1` when none is. */
  readonly last: number;
  /** Lines in the whole file; a last one without an end counts. */
  readonly total: number;
  /** Bytes of the one line shown, when it is longer than the window and so was cut. */
  readonly cutFrom?: number;
}

/**
 * Reads whole lines from a UTF-8 file, and counts all of them, in memory that depends on the window and not on
 * the file. A first line longer than the window is cut at a character's border. Throws FileProblem when what
 * it would show is not UTF-8 text.
 */
export async function readLines(
  file: FileHandle,
  window: LineWindow,
  signal: AbortSignal,
): Promise<ShownLines> {
  const shown: Buffer[] = [];
  let shownBytes = 0;
  let last = window.first - 1;
  let full = false;
  let cutFrom: number | undefined;
  /** The line at work: its number, its size so far, and its bytes as far as the window could hold them. */
  let line = { number: 1, bytes: 0, kept: [] as Buffer[] };

  const wanted = () => !full && line.number >= window.first && line.number < window.first + window.lines;
  const take = (part: Buffer) => {
    const room = window.bytes - shownBytes - line.bytes;
    if (wanted() && room > 0) line.kept.push(Buffer.from(part.subarray(0, room)));
    line.bytes += part.length;
  };
  const endLine = () => {
    if (wanted()) {
      if (shownBytes + line.bytes <= window.bytes) {
        shown.push(...line.kept);
        shownBytes += line.bytes;
        last = line.number;
      } else {
        full = true;
        if (last < window.first) {
          shown.push(wholeCharacters(Buffer.concat(line.kept)));
          last = line.number;
          cutFrom = line.bytes;
        }
      }
    }
    line = { number: line.number + 1, bytes: 0, kept: [] };
  };

  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end + 1));
      endLine();
      start = end + 1;
    }
    take(chunk.subarray(start));
  }
  if (line.bytes > 0) endLine();
  const text = textOf(Buffer.concat(shown), window.first === 1);
  return { text, last, total: line.number - 1, ...(cutFrom !== undefined && { cutFrom }) };
}

function textOf(bytes: Buffer, fromStart: boolean): string {
  if (bytes.includes(0)) throw new FileProblem('This is a binary file. Only UTF-8 text can be read.');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: !fromStart }).decode(bytes);
  } catch (cause) {
    throw new FileProblem('This file is not UTF-8 text, so it cannot be read here.', { cause });
  }
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}

/** Without the beginning of a character whose end was cut off. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  const lead = bytes[end - 1] ?? 0;
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - (end - 1) < size ? bytes.subarray(0, end - 1) : bytes;
}
