import { overlap } from '../near-duplicates.ts';

export interface SimilarPair {
  readonly a: number;
  readonly b: number;
  readonly similarity: number;
}

/**
 * MinHash with bands: of sets with six tenths in common, 99 of 100 pairs share a band. Comparing all pairs of 20,000 would
 * take 200 million comparisons.
 */
const BANDS = 20;
const ROWS = 3;

function hashOf(word: string, seed: number): number {
  let hash = Math.imul(seed + 1, 0x9e3779b1);
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function bandsOf(words: ReadonlySet<string>): readonly string[] {
  const bands: string[] = [];
  for (let band = 0; band < BANDS; band++) {
    let key = `${band}`;
    for (let row = 0; row < ROWS; row++) {
      let least = 0xffffffff;
      for (const word of words) least = Math.min(least, hashOf(word, band * ROWS + row));
      key += `:${least}`;
    }
    bands.push(key);
  }
  return bands;
}

/** A text that hundreds repeat is reported often enough. */
const MAX_BUCKET = 50;

/** The pairs with at least this share of words in common, most similar first, then in order. */
export function similarPairs(sets: readonly ReadonlySet<string>[], atLeast: number): readonly SimilarPair[] {
  const buckets = new Map<string, number[]>();
  const seen = new Set<number>();
  const pairs: SimilarPair[] = [];
  sets.forEach((words, b) => {
    if (words.size === 0) return;
    for (const band of bandsOf(words)) {
      const bucket = buckets.get(band) ?? [];
      buckets.set(band, bucket);
      for (const a of bucket) {
        const key = a * sets.length + b;
        if (seen.has(key)) continue;
        seen.add(key);
        const similarity = overlap(sets[a]!, words);
        if (similarity >= atLeast) pairs.push({ a, b, similarity });
      }
      if (bucket.length < MAX_BUCKET) bucket.push(b);
    }
  });
  return pairs.sort((x, y) => y.similarity - x.similarity || x.a - y.a || x.b - y.b);
}
