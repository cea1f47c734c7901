import { grown } from './posting-pool.ts';
import type { Stream } from './row-sums.ts';
import type { Impacts } from './term-impacts.ts';

/** Score units after a discount. A match stays a match. */
export function discounted(units: number, factor: number): number {
  return units === 0 ? 0 : Math.max(1, Math.round(units * factor));
}

/** What a term that stands in for a query term gives. */
export interface DiscountedImpacts {
  readonly impacts: Impacts;
  readonly factor: number;
}

/** Joins lists so that each row has the best of what they give it. */
export class StreamMerger {
  /** By row; all 0 between calls. */
  #best = new Uint32Array(0);

  merge(lists: readonly DiscountedImpacts[], times: number, rowCount: number): Stream {
    if (this.#best.length < rowCount) this.#best = grown(this.#best, rowCount);
    const best = this.#best;
    let postings = 0;
    for (const { impacts } of lists) postings += impacts.length;
    const rows = new Uint32Array(Math.min(postings, rowCount));
    let length = 0;
    let max = 0;
    for (const { impacts, factor } of lists) {
      for (let i = 0; i < impacts.length; i++) {
        const row = impacts.rows[impacts.rowsFrom + i]!;
        const units = discounted(impacts.values[impacts.valuesFrom + i]!, factor);
        const before = best[row]!;
        if (units <= before) continue;
        if (before === 0) rows[length++] = row;
        best[row] = units;
        if (units > max) max = units;
      }
    }
    const values = new Uint32Array(length);
    for (let i = 0; i < length; i++) {
      const row = rows[i]!;
      values[i] = best[row]!;
      best[row] = 0;
    }
    return { rows, rowsFrom: 0, values, valuesFrom: 0, length, times, max, isSorted: false };
  }
}
