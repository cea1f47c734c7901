/** A piece of text as PDF.js gives it, with its place on the page. The origin is at the bottom left. */
export interface PdfItem {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
}

export interface PdfLine {
  readonly text: string;
  /** The size of its largest letters. */
  readonly size: number;
  readonly y: number;
}

interface Cell {
  text: string;
  readonly x: number;
  end: number;
}

interface Row {
  readonly cells: Cell[];
  size: number;
  readonly y: number;
}

/** In sizes of the letters: a wider gap separates the cells of a table, or two columns. */
const CELL_GAP = 1.5;
const WORD_GAP = 0.15;
/** In sizes of the letters: raised and lowered letters are on the same line. */
const SAME_LINE = 0.5;
/** Two columns of prose have this many rows, and cells of this length. Tables have shorter ones. */
const MIN_COLUMN_ROWS = 4;
const MIN_COLUMN_CHARS = 20;

/** The lines of a page in reading order: that of the file, with columns that were written row by row put one below the other. */
export function linesOfPage(items: readonly PdfItem[]): PdfLine[] {
  const rows = rowsOf(items);
  const lines: PdfLine[] = [];
  for (let i = 0; i < rows.length; ) {
    const end = endOfColumns(rows, i);
    if (end - i >= MIN_COLUMN_ROWS) {
      for (const column of [0, 1]) {
        for (const row of rows.slice(i, end)) lines.push({ text: row.cells[column]!.text, size: row.size, y: row.y });
      }
      i = end;
    } else {
      const row = rows[i++]!;
      lines.push({ text: row.cells.map(({ text }) => text).join(' | '), size: row.size, y: row.y });
    }
  }
  return lines;
}

function rowsOf(items: readonly PdfItem[]): Row[] {
  const rows: Row[] = [];
  let row: Row | undefined;
  for (const { str, transform, width } of items) {
    const size = Math.hypot(transform[2] ?? 0, transform[3] ?? 0);
    const x = transform[4] ?? 0;
    const y = transform[5] ?? 0;
    if (str.trim() !== '') {
      const last = row?.cells.at(-1);
      const isSameRow = row !== undefined && Math.abs(row.y - y) <= SAME_LINE * Math.max(size, row.size);
      if (!isSameRow || last === undefined) {
        row = { cells: [{ text: str.trim(), x, end: x + width }], size, y };
        rows.push(row);
      } else addToRow(row!, last, { text: str, x, end: x + width }, size);
    }
  }
  return rows;
}

function addToRow(row: Row, last: Cell, next: Cell, size: number): void {
  const gap = next.x - last.end;
  row.size = Math.max(row.size, size);
  // A piece to the left of the one before belongs to another column.
  if (gap > CELL_GAP * size || gap < -CELL_GAP * size) row.cells.push({ ...next, text: next.text.trim() });
  else {
    const space = gap > WORD_GAP * size || next.text.startsWith(' ') ? ' ' : '';
    last.text += `${space}${next.text.trim()}`;
    last.end = next.end;
  }
}

/** The row after the last of a run that has two long cells each, the second always at the same place. */
function endOfColumns(rows: readonly Row[], from: number): number {
  let end = from;
  const right = rows[from]?.cells[1]?.x;
  while (end < rows.length && right !== undefined) {
    const { cells, size } = rows[end]!;
    const [left, second] = cells;
    if (cells.length !== 2 || Math.abs(second!.x - right) > size) break;
    if (left!.text.length < MIN_COLUMN_CHARS || second!.text.length < MIN_COLUMN_CHARS / 2) break;
    end++;
  }
  return end;
}
