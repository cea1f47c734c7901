import { bestFirst } from '../../../search/rows/best-first.ts';
import type { CompareRows, RowScores } from '../../../search/rows/row-scores.ts';

/** See `extend` of `ListReader`. */
export function extendRows(list: RowScores, longer: RowScores, length: number): RowScores {
  const known = new Set(list.rows);
  const rows = list.rows.slice();
  const scores = list.scores.slice();
  for (let i = 0; i < longer.rows.length && rows.length < length; i++) {
    const row = longer.rows[i]!;
    if (known.has(row)) continue;
    rows.push(row);
    scores.push(longer.scores[i]!);
  }
  return { rows, scores };
}

/** Joins lists, best first. Each row once: a tool of a server is in the lists of two types. */
export function mergeRows(lists: readonly RowScores[], compareRows: CompareRows): RowScores {
  const seen = new Set<number>();
  const rows: number[] = [];
  const scores: number[] = [];
  for (const list of lists) {
    for (let i = 0; i < list.rows.length; i++) {
      const row = list.rows[i]!;
      if (seen.has(row)) continue;
      seen.add(row);
      rows.push(row);
      scores.push(list.scores[i]!);
    }
  }
  return bestFirst(rows, scores, rows.length, compareRows);
}
