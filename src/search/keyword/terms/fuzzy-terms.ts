import { type CountUnits, type FuzzyTerm, MIN_PREFIX_LENGTH, TermGroup } from './term-group.ts';
import { SortedWords } from './term-lists.ts';

export type { FuzzyTerm } from './term-group.ts';

/** A power of two. With so many groups, that of a letter rarely has terms of other ones. */
const GROUPS = 256;
/** With more new terms in one write, it is the write that merges them, in slices. */
const MAX_MERGED_BY_SEARCH = 10_000;

/**
 * Finds indexed terms similar to a query term: terms that start with it, and terms with the same first letter and one
 * typo (two from eight letters on). Terms with digits have no typos: `s3` is not `s2`.
 *
 * Similar terms begin with the same character, so terms are in groups by that. A search after many writes then merges the new
 * terms of some groups only, and not the whole vocabulary.
 */
export class FuzzyTerms {
  readonly #groups: readonly TermGroup[];

  /** Reads the words of a group when it is first asked for one of them. */
  constructor(words = new SortedWords()) {
    const spans: Span[][] = Array.from({ length: GROUPS }, () => []);
    for (let from = 0; from < words.length; ) {
      const first = words.at(from);
      const to = Math.max(from + 1, words.lowerBound(String.fromCharCode(first.charCodeAt(0) + 1)));
      spans[groupOf(first)]!.push({ from, to });
      from = to;
    }
    this.#groups = spans.map((own) => new TermGroup(() => wordsIn(words, own)));
  }

  add(term: string): void {
    this.#groups[groupOf(term)]!.add(term);
  }

  /** The same for the terms of a large write, before they have postings. Call what it returns when they have. */
  *addAll(terms: readonly string[]): Generator<void, () => void> {
    if (terms.length <= MAX_MERGED_BY_SEARCH) {
      return () => {
        for (const term of terms) this.add(term);
      };
    }
    for (const [group, added] of divided(terms).entries()) {
      if (added.length > 0) yield* this.#groups[group]!.merge(added);
    }
    return () => {};
  }

  /** Removes a term that was added recently. Others stay until the next merge. */
  remove(term: string): void {
    this.#groups[groupOf(term)]!.remove(term);
  }

  /**
   * Best first: by factor, then by the number of units with the term, then in alphabetical order. `frequencyOf` counts the
   * units that may match, `isKnown` says whether the index has the term.
   */
  similarTo(
    term: string,
    frequencyOf: CountUnits,
    isKnown: (term: string) => boolean = (known) => frequencyOf(known) > 0,
  ): readonly FuzzyTerm[] {
    if (term.length < MIN_PREFIX_LENGTH) return [];
    return this.#groups[groupOf(term)]!.similarTo(term, frequencyOf, isKnown);
  }
}

/** By the first character. */
const groupOf = (term: string): number => term.charCodeAt(0) & (GROUPS - 1);

/** Words that begin with the same character. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function wordsIn(words: SortedWords, spans: readonly Span[]): readonly string[] {
  const found: string[] = [];
  for (const { from, to } of spans) for (let at = from; at < to; at++) found.push(words.at(at));
  return found;
}

function divided(terms: readonly string[]): readonly string[][] {
  const groups: string[][] = Array.from({ length: GROUPS }, () => []);
  for (const term of terms) groups[groupOf(term)]!.push(term);
  return groups;
}
