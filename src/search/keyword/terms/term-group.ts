import { editDistance } from '../../../model/text/edit-distance.ts';
import { countBits } from '../../filter/bitset.ts';
import { LayeredSet } from '../../rows/layered-map.ts';
import { lowerBound } from '../../rows/lower-bound.ts';
import { mergeInSlices, sortInSlices } from './sort-in-slices.ts';

/** An indexed term that is similar to a query term. */
export interface FuzzyTerm {
  readonly term: string;
  /** The factor for scores of this match. An exact match has 1. */
  readonly factor: number;
  /** The number of units with the term. */
  readonly frequency: number;
}

/** The number of units with a term. */
export type CountUnits = (term: string) => number;

const MAX_FUZZY_TERMS = 8;

/**
 * Factors by number of typos, and for a prefix. Higher factors help queries with typos, but hurt queries with names that
 * are not in the index. Measured on the collections in bm25f.ts, with and without added typos.
 */
const TYPO_FACTORS = [1, 0.7, 0.5];
const PREFIX_FACTOR = 0.7;

export const MIN_PREFIX_LENGTH = 3;
const MIN_TYPO_LENGTH = 4;
const MIN_DOUBLE_TYPO_LENGTH = 8;

/** With more new terms, they are merged into the sorted vocabulary. */
const MAX_RECENT = 1024;

/**
 * The terms of an index that begin with some characters, see `FuzzyTerms`: a sorted array, built on first use. New terms are
 * merged into it from time to time.
 * It may contain removed terms, and those of a write that is prepared: `frequencyOf` returns 0 for them.
 */
export class TermGroup {
  /** Null until the group is first used. */
  #known: readonly string[] | null = null;
  readonly #read: () => readonly string[];
  #letterSets: Uint32Array | undefined;
  #recent = new LayeredSet<string>();

  /** `read`: gives the terms to begin with, sorted. */
  constructor(read: () => readonly string[] = () => []) {
    this.#read = read;
  }

  get #sorted(): readonly string[] {
    this.#known ??= this.#read();
    return this.#known;
  }

  add(term: string): void {
    this.#recent.add(term);
  }

  /** Merges many terms at once, in slices. */
  *merge(terms: readonly string[]): Generator<void> {
    const sorted = yield* sortInSlices(terms);
    let old: readonly string[];
    let merged: readonly string[];
    do {
      // A search may merge recent terms meanwhile.
      old = this.#sorted;
      merged = yield* mergeInSlices(old, sorted);
    } while (old !== this.#sorted);
    this.#known = merged;
    this.#letterSets = undefined;
  }

  /** Removes a term that was added recently. Terms in the sorted array stay until the next merge. */
  remove(term: string): void {
    this.#recent.delete(term);
  }

  /** See `FuzzyTerms.similarTo`. */
  similarTo(term: string, frequencyOf: CountUnits, isKnown: (term: string) => boolean): readonly FuzzyTerm[] {
    this.#mergeRecent(isKnown);
    const found = new Map<string, FuzzyTerm>();
    const offer = (candidate: string, factor: number) => {
      const frequency = frequencyOf(candidate);
      if (frequency === 0 || factor <= (found.get(candidate)?.factor ?? 0)) return;
      found.set(candidate, { term: candidate, factor, frequency });
    };
    this.#offerCompletions(term, offer);
    if (term.length >= MIN_TYPO_LENGTH && /^\p{L}+$/u.test(term)) this.#offerCorrections(term, offer);
    const ranked: FuzzyTerm[] = [];
    for (const match of found.values()) ranked.push(match);
    ranked.sort(byRank);
    if (ranked.length > MAX_FUZZY_TERMS) ranked.length = MAX_FUZZY_TERMS;
    return ranked;
  }

  #offerCompletions(term: string, offer: (candidate: string, factor: number) => void): void {
    const sorted = this.#sorted;
    for (let at = lowerBound(sorted, term); at < sorted.length && sorted[at]!.startsWith(term); at++)
      offer(sorted[at]!, PREFIX_FACTOR);
    for (const candidate of this.#recent) if (candidate.startsWith(term)) offer(candidate, PREFIX_FACTOR);
  }

  #offerCorrections(term: string, offer: (candidate: string, factor: number) => void): void {
    const limit = term.length < MIN_DOUBLE_TYPO_LENGTH ? 1 : 2;
    const queryLetters = letterBits(term);
    const consider = (candidate: string) => {
      const distance = editDistance(term, candidate, limit);
      if (distance > 0 && distance <= limit) offer(candidate, TYPO_FACTORS[distance]!);
    };
    const sorted = this.#sorted;
    this.#letterSets ??= Uint32Array.from(sorted, letterBits);
    const first = term.charCodeAt(0);
    const end = lowerBound(sorted, String.fromCharCode(first + 1));
    for (let at = lowerBound(sorted, term.charAt(0)); at < end; at++) {
      // One typo changes at most two bits, so most terms are excluded without computing the edit distance.
      if (countBits(this.#letterSets[at]! ^ queryLetters) > 2 * limit) continue;
      consider(sorted[at]!);
    }
    for (const candidate of this.#recent) if (candidate.charCodeAt(0) === first) consider(candidate);
  }

  #mergeRecent(isKnown: (term: string) => boolean): void {
    if (this.#recent.size <= MAX_RECENT) return;
    const merging = mergeInSlices(this.#sorted, [...this.#recent].sort());
    let merged = merging.next();
    while (merged.done !== true) merged = merging.next();
    this.#known = merged.value.filter(isKnown);
    this.#letterSets = undefined;
    this.#recent = new LayeredSet();
  }
}

function byRank(a: FuzzyTerm, b: FuzzyTerm): number {
  return b.factor - a.factor || b.frequency - a.frequency || (a.term < b.term ? -1 : 1);
}

/** The letters of a term as bits. All characters except a-z share the last six bits. */
function letterBits(term: string): number {
  let queryLetters = 0;
  for (let at = 0; at < term.length; at++) {
    const code = term.charCodeAt(at);
    queryLetters |= 1 << (code >= 97 && code <= 122 ? code - 97 : 26 + (code % 6));
  }
  return queryLetters >>> 0;
}
