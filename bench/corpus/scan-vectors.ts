import type { BenchUnit } from './corpus.ts';
import { DIMENSIONS } from './vector-space.ts';

/**
 * Every vector, one after the other, best rows first; of equal ones the earlier row. What a user writes beside a library
 * that has no vectors, and what the answers of all are compared with. Rows whose `live` is 0 are passed over.
 */
export function scanVectors(
  vectors: Float32Array,
  live: Uint8Array,
  query: Float32Array,
  count: number,
): readonly number[] {
  const rows: number[] = [];
  const scores: number[] = [];
  const total = vectors.length / DIMENSIONS;
  for (let row = 0, at = 0; row < total; row++, at += DIMENSIONS) {
    if (live[row] === 0) continue;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let i = 0; i < DIMENSIONS; i += 4) {
      a += vectors[at + i]! * query[i]!;
      b += vectors[at + i + 1]! * query[i + 1]!;
      c += vectors[at + i + 2]! * query[i + 2]!;
      d += vectors[at + i + 3]! * query[i + 3]!;
    }
    const score = a + b + c + d;
    if (rows.length === count && score <= scores[count - 1]!) continue;
    let place = rows.length;
    while (place > 0 && scores[place - 1]! < score) place -= 1;
    rows.splice(place, 0, row);
    scores.splice(place, 0, score);
    if (rows.length > count) {
      rows.pop();
      scores.pop();
    }
  }
  return rows;
}

/** One byte for each unit, in their order: what `scanVectors` asks. */
export function liveRows(units: readonly BenchUnit[]): Uint8Array {
  return Uint8Array.from(units, ({ live }) => (live ? 1 : 0));
}
