import type { Unit } from '../../model/unit.ts';
import type { TermVisitor } from './identifier-terms.ts';
import { visitTerms } from './visit-terms.ts';

/** One pair may be a coincidence. On the collections in docs/quality.md, more than two pairs mislead in some catalogs. */
const ENOUGH_PAIRS = 2;

/** In characters of a unit, over all fields. Of the best units of these collections, one in 130 is longer. */
const MAX_CHARS = 4000;

/** Some characters stand for many words, so that a few of them would take long. */
const MAX_TERMS = 4000;

/** A text is read in pieces of this many characters, or up to twice as many, until enough pairs are found. */
const PIECE_CHARS = 400;

/**
 * How far the neighboring words of a query are neighbors in a unit, in the same order: 0 if no pair is, 1 if two are, or the
 * only one. Words are those of the index: stemmed, without stop words, identifiers whole and split. 0 for a query without
 * pairs, and then `readFields` is not called.
 */
export function adjacentWords(query: string, readFields: () => Unit['fields'] | undefined): number {
  const { followers, count } = pairsOf(query);
  if (count === 0) return 0;
  const enough = Math.min(ENOUGH_PAIRS, count);
  let found = 0;
  let terms = 0;
  const countPair: PairVisitor = (first, second) => {
    terms++;
    if (followers.get(first)?.delete(second)) found++;
  };
  let room = MAX_CHARS;
  for (const text of Object.values(readFields() ?? {})) {
    const visit = byPairs(countPair);
    const end = Math.min(room, text.length);
    for (let from = 0; from < end && terms < MAX_TERMS; ) {
      const until = endOfPiece(text, from, end);
      visitTerms(text.slice(from, until), visit);
      if (found >= enough) return 1;
      from = until;
    }
    room -= end;
  }
  return found / enough;
}

/** No word contains a space, so a piece that ends at one has whole words. */
function endOfPiece(text: string, from: number, end: number): number {
  const most = Math.min(end, from + 2 * PIECE_CHARS);
  const space = text.indexOf(' ', from + PIECE_CHARS);
  return space < 0 || space > most ? most : space;
}

type PairVisitor = (first: string, second: string) => void;

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
