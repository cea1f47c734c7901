import { editDistance } from '../../model/edit-distance.ts';

/** A term of the index that stands in for a query term that is not in it. */
export interface Neighbor {
  readonly term: string;
  /** What a match is worth, against 1 for the term itself. */
  readonly factor: number;
}

const MAX_NEIGHBORS = 8;

/**
 * By the number of mistakes, and for a word that is only begun. With a mistake put into every query of the collections
 * in bm25f.ts, more is better; with none, names that are simply not in the index begin to do harm above this.
 */
const TYPO_FACTORS = [1, 0.7, 0.5];
const PREFIX_FACTOR = 0.7;

const SHORTEST_PREFIX = 3;
const SHORTEST_TYPO = 4;
const SHORTEST_DOUBLE_TYPO = 8;

/** New terms wait here, unsorted, until there are enough of them to be worth a merge. */
const MAX_RECENT = 1024;

/**
 * Finds terms near a term that is not indexed: those it is the beginning of, and those that are one typing mistake away
 * (two from eight letters on) with the same first letter. Terms with digits have no typing mistakes: `s3` is not `s2`.
 *
 * Holds the vocabulary as a sorted array, made on first use and merged with new terms now and then. It may
 * still hold terms that went away: `frequencyOf` gives 0 for those.
 */
export class TermNeighbors {
  #sorted: readonly string[];
  #isSorted: boolean;
  #letters: Uint32Array | undefined;
  #recent = new Set<string>();

  constructor(terms: readonly string[] = [], isSorted = false) {
    this.#sorted = terms;
    this.#isSorted = isSorted;
  }

  add(term: string): void {
    this.#recent.add(term);
  }

  /** The term went away. Keeps terms that come and go from piling up. */
  remove(term: string): void {
    this.#recent.delete(term);
  }

  /** Best first: by factor, then by how many units have the term, then in alphabetical order. */
  near(term: string, frequencyOf: (term: string) => number): readonly Neighbor[] {
    if (term.length < SHORTEST_PREFIX) return [];
    this.#settle(frequencyOf);
    const found = new Map<string, Found>();
    const offer = (candidate: string, factor: number) => {
      const frequency = frequencyOf(candidate);
      if (frequency === 0 || factor <= (found.get(candidate)?.factor ?? 0)) return;
      found.set(candidate, { term: candidate, factor, frequency });
    };
    this.#offerCompletions(term, offer);
    if (term.length >= SHORTEST_TYPO && /^\p{L}+$/u.test(term)) this.#offerCorrections(term, offer);
    const neighbors: Found[] = [];
    for (const neighbor of found.values()) neighbors.push(neighbor);
    neighbors.sort(byNearness);
    if (neighbors.length > MAX_NEIGHBORS) neighbors.length = MAX_NEIGHBORS;
    return neighbors;
  }

  #offerCompletions(term: string, offer: (candidate: string, factor: number) => void): void {
    const sorted = this.#sorted;
    for (let at = lowerBound(sorted, term); at < sorted.length && sorted[at]!.startsWith(term); at++)
      offer(sorted[at]!, PREFIX_FACTOR);
    for (const candidate of this.#recent) if (candidate.startsWith(term)) offer(candidate, PREFIX_FACTOR);
  }

  #offerCorrections(term: string, offer: (candidate: string, factor: number) => void): void {
    const limit = term.length < SHORTEST_DOUBLE_TYPO ? 1 : 2;
    const letters = lettersOf(term);
    const consider = (candidate: string) => {
      const distance = editDistance(term, candidate, limit);
      if (distance > 0 && distance <= limit) offer(candidate, TYPO_FACTORS[distance]!);
    };
    const sorted = this.#sorted;
    this.#letters ??= Uint32Array.from(sorted, lettersOf);
    const first = term.charCodeAt(0);
    const end = lowerBound(sorted, String.fromCharCode(first + 1));
    for (let at = lowerBound(sorted, term.charAt(0)); at < end; at++) {
      if (differingLetters(this.#letters[at]!, letters) > 2 * limit) continue;
      consider(sorted[at]!);
    }
    for (const candidate of this.#recent) if (candidate.charCodeAt(0) === first) consider(candidate);
  }

  #settle(frequencyOf: (term: string) => number): void {
    if (this.#isSorted && this.#recent.size <= MAX_RECENT) return;
    const recent = [...this.#recent].sort();
    const merged: string[] = [];
    const old = this.#isSorted ? this.#sorted : [...this.#sorted].sort();
    let i = 0;
    for (const term of recent) {
      while (i < old.length && old[i]! < term) merged.push(old[i++]!);
      if (old[i] !== term) merged.push(term);
    }
    while (i < old.length) merged.push(old[i++]!);
    this.#sorted = merged.filter((term) => frequencyOf(term) > 0);
    this.#isSorted = true;
    this.#letters = undefined;
    this.#recent = new Set();
  }
}

interface Found extends Neighbor {
  readonly frequency: number;
}

function byNearness(a: Found, b: Found): number {
  return b.factor - a.factor || b.frequency - a.frequency || (a.term < b.term ? -1 : 1);
}

function lowerBound(sorted: readonly string[], term: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < term) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Which letters a term has, one bit each; everything but a-z shares the last six bits. */
function lettersOf(term: string): number {
  let letters = 0;
  for (let at = 0; at < term.length; at++) {
    const code = term.charCodeAt(at);
    letters |= 1 << (code >= 97 && code <= 122 ? code - 97 : 26 + (code % 6));
  }
  return letters >>> 0;
}

/** One mistake changes at most two of the bits, so most words are ruled out without measuring their distance. */
function differingLetters(a: number, b: number): number {
  let bits = a ^ b;
  let count = 0;
  while (bits !== 0) {
    bits &= bits - 1;
    count++;
  }
  return count;
}
