import { FileProblem } from '../workspace/file-problem.js';

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
}

export interface EditedText {
  readonly text: string;
  /** 1-based lines of the old text where the edits begin, in the order of the edits. */
  readonly lines: readonly number[];
}

interface Replacement {
  readonly edit: number;
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

/**
 * Replaces each `oldText` by its `newText`, in which nothing is interpreted. Each must stand in `text` exactly
 * once and no two may overlap, else FileProblem and nothing is done (`builtin:edit`). Line ends match in either style; new lines
 * take the style of the text they replace, else that of the file's first line end. All other characters stay.
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): EditedText {
  const file = new LineEnds(text);
  const found = edits.map((edit, index) => locate(file, edit, `Edit ${index + 1}`, index));
  const inOrder = found.toSorted((a, b) => a.start - b.start);
  let result = '';
  let done = 0;
  for (const [index, { edit, start, end, newText }] of inOrder.entries()) {
    const before = inOrder[index - 1];
    if (before !== undefined && start < before.end) {
      throw new FileProblem(
        `Edits ${before.edit + 1} and ${edit + 1} overlap. Join them into one. Nothing was changed.`,
      );
    }
    result += text.slice(done, start) + newText;
    done = end;
  }
  result += text.slice(done);
  if (result === text) throw new FileProblem('The edits leave the file as it is. Nothing was changed.');
  return { text: result, lines: found.map(({ start }) => file.lineOf(start)) };
}

function locate(file: LineEnds, { oldText, newText }: TextEdit, name: string, edit: number): Replacement {
  const wanted = withLf(oldText);
  if (wanted === '') throw new FileProblem(`${name}: oldText is empty. Use write for a whole file.`);
  const at = file.normal.indexOf(wanted);
  if (at < 0) {
    throw new FileProblem(
      `${name}: oldText was not found. Read the file and copy the text exactly, blanks included. Nothing was changed.`,
    );
  }
  if (file.normal.includes(wanted, at + 1)) {
    throw new FileProblem(
      `${name}: oldText stands more than once in the file. Add lines around it until it is unique. Nothing was changed.`,
    );
  }
  const start = file.original(at);
  const end = file.original(at + wanted.length);
  const newLine = file.newLineIn(start, end);
  return {
    edit,
    start,
    end,
    newText: newLine === undefined ? newText : withLf(newText).replaceAll('\n', newLine),
  };
}

function withLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** A text with all CRLF as LF, and the way back to the places of the original. */
class LineEnds {
  readonly normal: string;
  /** Where, in `normal`, a line end stands that was CRLF. Ascending. */
  readonly #pairs: number[] = [];

  constructor(private readonly text: string) {
    this.normal = withLf(text);
    let at = text.indexOf('\r\n');
    while (at >= 0) {
      this.#pairs.push(at - this.#pairs.length);
      at = text.indexOf('\r\n', at + 2);
    }
  }

  /** The place before a line end is before its CR. */
  original(place: number): number {
    let low = 0;
    let high = this.#pairs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#pairs[middle] ?? Infinity) < place) low = middle + 1;
      else high = middle;
    }
    return place + low;
  }

  newLineIn(start: number, end: number): '\r\n' | '\n' | undefined {
    return firstLineEnd(this.text.slice(start, end)) ?? firstLineEnd(this.text);
  }

  lineOf(place: number): number {
    let line = 1;
    for (let at = this.text.indexOf('\n'); at >= 0 && at < place; at = this.text.indexOf('\n', at + 1))
      line += 1;
    return line;
  }
}

function firstLineEnd(text: string): '\r\n' | '\n' | undefined {
  const at = text.indexOf('\n');
  if (at < 0) return undefined;
  return text[at - 1] === '\r' ? '\r\n' : '\n';
}
