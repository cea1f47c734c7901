import type { Stream } from './row-sums.ts';
import type { Impacts } from './term-impacts.ts';

/** Score units after a discount. A match stays a match. */
export function discounted(units: number, factor: number): number {
  return units === 0 ? 0 : Math.max(1, Math.round(units * factor));
}

/** What a term that stands in for a query term gives. */
export interface DiscountedImpacts {
  /** With nothing pending. */
  readonly impacts: Impacts;
  readonly factor: number;
}

type Merged = Pick<Stream, 'rows' | 'values' | 'length'>;

/** Joins lists so that each row has the best of what they give it. */
export function mergeStreams(lists: readonly DiscountedImpacts[], times: number): Stream {
  let merged: Merged = { rows: new Uint32Array(0), values: new Uint32Array(0), length: 0 };
  for (const list of lists) merged = mergedWith(merged, list);
  const { rows, values, length } = merged;
  let max = 0;
  for (let i = 0; i < length; i++) if (values[i]! > max) max = values[i]!;
  return { rows, rowsFrom: 0, values, valuesFrom: 0, length, times, max, pending: null };
}

function mergedWith(one: Merged, { impacts, factor }: DiscountedImpacts): Merged {
  const rows = new Uint32Array(one.length + impacts.length);
  const values = new Uint32Array(rows.length);
  let length = 0;
  let i = 0;
  for (let k = 0; k < impacts.length; k++) {
    const row = impacts.rows[impacts.rowsFrom + k]!;
    const units = discounted(impacts.values[impacts.valuesFrom + k]!, factor);
    for (; i < one.length && one.rows[i]! < row; i++) {
      rows[length] = one.rows[i]!;
      values[length++] = one.values[i]!;
    }
    const isInBoth = i < one.length && one.rows[i] === row;
    rows[length] = row;
    values[length++] = isInBoth ? Math.max(one.values[i++]!, units) : units;
  }
  for (; i < one.length; i++) {
    rows[length] = one.rows[i]!;
    values[length++] = one.values[i]!;
  }
  return { rows, values, length };
}
