import type { ScoredPostings } from './score-accumulator.ts';

/** The impact times the factor of a match. At least 1 for a match. */
export function discounted(impact: number, factor: number): number {
  return impact === 0 || factor === 1 ? impact : Math.max(1, Math.round(impact * factor));
}

/** The impacts of a fuzzy match. */
export interface DiscountedImpacts {
  /** Without pending values. */
  readonly impacts: ScoredPostings;
  readonly factor: number;
}

type Merged = Pick<ScoredPostings, 'rows' | 'values' | 'length'>;

/** Merges posting lists. A row in several lists gets its highest impact. */
export function mergePostings(lists: readonly DiscountedImpacts[], frequency: number): ScoredPostings {
  let merged: Merged = { rows: new Uint32Array(0), values: new Uint32Array(0), length: 0 };
  for (const list of lists) merged = mergedWith(merged, list);
  const { rows, values, length } = merged;
  let max = 0;
  for (let i = 0; i < length; i++) if (values[i]! > max) max = values[i]!;
  return { rows, values, from: 0, length, frequency, max, pending: null };
}

function mergedWith(merged: Merged, { impacts, factor }: DiscountedImpacts): Merged {
  const rows = new Uint32Array(merged.length + impacts.length);
  const values = new Uint32Array(rows.length);
  let length = 0;
  let i = 0;
  for (let at = impacts.from; at < impacts.from + impacts.length; at++) {
    const row = impacts.rows[at]!;
    const impact = discounted(impacts.values[at]!, factor);
    for (; i < merged.length && merged.rows[i]! < row; i++) {
      rows[length] = merged.rows[i]!;
      values[length++] = merged.values[i]!;
    }
    const isInBoth = i < merged.length && merged.rows[i] === row;
    rows[length] = row;
    values[length++] = isInBoth ? Math.max(merged.values[i++]!, impact) : impact;
  }
  for (; i < merged.length; i++) {
    rows[length] = merged.rows[i]!;
    values[length++] = merged.values[i]!;
  }
  return { rows, values, length };
}
