/** A cell of a table, and how it is painted once its column is aligned. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

type Rows = readonly (readonly Cell[])[];

const BETWEEN = '  ';
/** What is left of a cell that is cut, its ellipsis included. */
const LEAST = 8;

/**
 * Rows as lines with aligned columns, two blanks between them; nothing trails.
 *
 * @param width the most columns of a line, indent included: the widest cells are cut first, none below 8
 * characters. Omitted: nothing is cut.
 */
export function columns(rows: Rows, indent = '', width = Infinity): readonly string[] {
  const natural = rows.reduce<readonly number[]>(
    (most, row) =>
      Array.from({ length: Math.max(most.length, row.length) }, (_, index) =>
        Math.max(most[index] ?? 0, textOf(row[index] ?? '').length),
      ),
    [],
  );
  const widths = narrowed(natural, width - indent.length - BETWEEN.length * (natural.length - 1));
  return rows.map((row) => {
    const last = row.findLastIndex((cell) => textOf(cell) !== '');
    const cells = row.slice(0, last + 1).map((cell, index) => {
      const most = widths[index] ?? 0;
      const cut = shortened(textOf(cell), most);
      const text = index === last ? cut : cut.padEnd(most);
      return typeof cell === 'string' ? text : cell.paint(text);
    });
    return indent + cells.join(BETWEEN);
  });
}

/** Takes from the widest column, one character after another, until all fit or none has more to give. */
function narrowed(natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural];
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over -= 1) {
    const widest = Math.max(...widths);
    if (widest <= LEAST) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}
