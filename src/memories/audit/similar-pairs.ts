import { setImmediate } from 'node:timers/promises';
import { overlap } from './near-duplicates.ts';

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
const SEEDS = Uint32Array.from({ length: BANDS * ROWS }, (_, at) => Math.imul(at + 1, 0x9e3779b1));

/** FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash;
}

/** The finalizer of MurmurHash3: each seed gives another order of the same words. */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A number for each band. Two bands of the same number are probably equal: the comparison then looks at the words. */
function bandsOf(words: ReadonlySet<string>): Uint32Array {
  const least = new Uint32Array(SEEDS.length).fill(0xffffffff);
  for (const word of words) {
    const hash = hashOf(word);
    for (let at = 0; at < SEEDS.length; at++) {
      const mixed = mix(hash ^ SEEDS[at]!);
      if (mixed < least[at]!) least[at] = mixed;
    }
  }
  const bands = new Uint32Array(BANDS);
  least.forEach((value, at) => {
    const band = Math.floor(at / ROWS);
    bands[band] = mix(Math.imul(bands[band]!, 31) ^ value);
  });
  return bands;
}

/** A text that hundreds repeat is reported often enough. */
const MAX_BUCKET = 50;

/** Compared at a time, so that a server answers in between. */
const BATCH = 500;

/** The pairs with at least this share of words in common, most similar first, then in order. */
export async function similarPairs(
  sets: readonly ReadonlySet<string>[],
  atLeast: number,
): Promise<readonly SimilarPair[]> {
  const buckets = Array.from({ length: BANDS }, () => new Map<number, number[]>());
  const pairs: SimilarPair[] = [];
  for (const [b, words] of sets.entries()) {
    if (b % BATCH === BATCH - 1) await setImmediate();
    if (words.size === 0) continue;
    const seen = new Set<number>();
    for (const [at, band] of bandsOf(words).entries()) {
      const bucket = buckets[at]!.get(band) ?? [];
      if (bucket.length === 0) buckets[at]!.set(band, bucket);
      for (const a of bucket) {
        if (seen.has(a)) continue;
        seen.add(a);
        const similarity = overlap(sets[a]!, words);
        if (similarity >= atLeast) pairs.push({ a, b, similarity });
      }
      if (bucket.length < MAX_BUCKET) bucket.push(b);
    }
  }
  return pairs.sort((x, y) => y.similarity - x.similarity || x.a - y.a || x.b - y.b);
}
