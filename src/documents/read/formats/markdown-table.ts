import { endOfLine } from './plain-text.ts';

/** Longer lines are no delimiter row. */
const MAX_DELIMITER_CHARS = 2000;

/** The row of dashes below a header: `|---|:--:|`. */
export function isDelimiterRow(text: string, at: number, to: number): boolean {
  if (at >= to) return false;
  const end = endOfLine(text, at, to);
  if (end - at > MAX_DELIMITER_CHARS) return false;
  const line = text.slice(at, end).trim();
  return line.includes('-') && line.includes('|') && cellsOf(line).every((cell) => /^:?-+:?$/.test(cell));
}

/** The cells of a row. `\|` is a part of its cell. */
export function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  const trimmed = line.trim();
  for (let i = trimmed.startsWith('|') ? 1 : 0; i < trimmed.length; i++) {
    const char = trimmed[i]!;
    if (char === '\\' && trimmed[i + 1] === '|') {
      cell += '|';
      i++;
    } else if (char === '|') {
      cells.push(cell.trim());
      cell = '';
    } else cell += char;
  }
  if (cell.trim() !== '') cells.push(cell.trim());
  return cells;
}
