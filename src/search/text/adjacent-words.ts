import type { Unit } from '../../model/entity-parts/unit.ts';
import type { TermVisitor } from './identifier-terms.ts';
import { visitTerms } from './visit-terms.ts';

/** One pair may be a coincidence. On the collections in docs/quality.md, more than two pairs mislead in some catalogs. */
const ENOUGH_PAIRS = 2;

/** In characters of a unit, over all fields. Of the best units of these collections, one in 130 is longer. */
const MAX_CHARS = 4000;

/** Some characters stand for many words, so that a few of them would take long. */
const MAX_PAIRS = 4000;

/** A text is read in pieces of this many characters, or up to twice as many. No further piece is read after MAX_PAIRS. */
const PIECE_CHARS = 400;

/** The neighboring words of a unit: each pair is a first word, then a second. */
export type WordPairs = readonly string[];

/**
 * How far the neighboring words of a query are neighbors in a unit, in the same order: 0 if no pair is, 1 if two are, or the
 * only one. 0 for a query without pairs, and then `readPairs` is not called.
 */
export function adjacentWords(query: string, readPairs: () => WordPairs): number {
  const { followers, count } = pairsOf(query);
  if (count === 0) return 0;
  const enough = Math.min(ENOUGH_PAIRS, count);
  const pairs = readPairs();
  let found = 0;
  for (let at = 0; at < pairs.length && found < enough; at += 2) {
    if (followers.get(pairs[at]!)?.delete(pairs[at + 1]!)) found++;
  }
  return found / enough;
}

/** Words are those of the index: stemmed, without stop words, identifiers whole and split. No pair is of two fields. */
export function wordPairs(fields: Unit['fields']): WordPairs {
  const pairs: string[] = [];
  let room = MAX_CHARS;
  for (const text of Object.values(fields)) {
    const visit = byPairs((first, second) => pairs.push(first, second));
    const end = Math.min(room, text.length);
    for (let from = 0; from < end && pairs.length < 2 * MAX_PAIRS; ) {
      const until = endOfPiece(text, from, end);
      visitTerms(text.slice(from, until), visit);
      from = until;
    }
    room -= end;
  }
  return pairs;
}

/** No word contains a space, so a piece that ends at one has whole words. */
function endOfPiece(text: string, from: number, end: number): number {
  const most = Math.min(end, from + 2 * PIECE_CHARS);
  const space = text.indexOf(' ', from + PIECE_CHARS);
  return space < 0 || space > most ? most : space;
}

type PairVisitor = (first: string, second: string) => unknown;

/** The distinct pairs of a query: the words that follow each word. */
function pairsOf(query: string) {
  const followers = new Map<string, Set<string>>();
  let count = 0;
  const add: PairVisitor = (first, second) => {
    let seconds = followers.get(first);
    if (seconds === undefined) {
      seconds = new Set();
      followers.set(first, seconds);
    }
    if (seconds.has(second)) return;
    seconds.add(second);
    count++;
  };
  visitTerms(query, byPairs(add));
  return { followers, count };
}

/** Visits each word with the one after it. An identifier and its own parts are no pair, nor is a word twice. */
function byPairs(visit: PairVisitor): TermVisitor {
  let last = '';
  let wasPart = false;
  return (term, isPart) => {
    if (last !== '' && last !== term && (wasPart || !isPart)) visit(last, term);
    last = term;
    wasPart = isPart;
  };
}
