/** A cell of a table, and how it is painted once its column is aligned. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

/** Rows as lines with aligned columns, two blanks between them; nothing trails. */
export function columns(rows: readonly (readonly Cell[])[], indent = ''): readonly string[] {
  const widths = rows.reduce<readonly number[]>(
    (most, row) => row.map((cell, index) => Math.max(most[index] ?? 0, textOf(cell).length)),
    [],
  );
  return rows.map((row) => {
    const last = row.findLastIndex((cell) => textOf(cell) !== '');
    const cells = row.slice(0, last + 1).map((cell, index) => {
      const text = index === last ? textOf(cell) : textOf(cell).padEnd(widths[index] ?? 0);
      return typeof cell === 'string' ? text : cell.paint(text);
    });
    return indent + cells.join('  ');
  });
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}
