import { grown } from './posting-pool.ts';
import type { Stream } from './row-sums.ts';
import type { Impacts } from './term-impacts.ts';

/** The postings of one indexed term that stands in for a query term. */
export interface DiscountedList {
  readonly rows: Uint32Array;
  readonly rowsFrom: number;
  readonly length: number;
  readonly impacts: Impacts;
  readonly factor: number;
}

/** Score units after a discount. A match stays a match. */
export function discounted(units: number, factor: number): number {
  return units === 0 ? 0 : Math.max(1, Math.round(units * factor));
}

/** Joins lists so that each row has the best of what they give it. */
export class StreamMerger {
  #best = new Uint32Array(0);

  merge(lists: readonly DiscountedList[], times: number, rowCount: number): Stream {
    if (this.#best.length < rowCount) this.#best = grown(this.#best, rowCount);
    const best = this.#best;
    const met: number[] = [];
    let max = 0;
    for (const { rows, rowsFrom, length, impacts, factor } of lists) {
      for (let i = 0; i < length; i++) {
        const row = rows[rowsFrom + i]!;
        const units = discounted(impacts.values[impacts.from + i]!, factor);
        if (units <= best[row]!) continue;
        if (best[row] === 0) met.push(row);
        best[row] = units;
        if (units > max) max = units;
      }
    }
    const rows = Uint32Array.from(met);
    const values = Uint32Array.from(met, (row) => best[row]!);
    for (const row of met) best[row] = 0;
    return { rows, rowsFrom: 0, values, valuesFrom: 0, length: met.length, times, max, isSorted: false };
  }
}
