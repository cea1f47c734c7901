import { analyze } from '../text/analyzer.ts';
import { PLAIN_WORD, plainTerm } from '../text/identifier-terms.ts';
import { plainWords } from '../text/query-words.ts';

/** A query with more terms or characters is a description, not a name. */
const MAX_TERMS = 5;
const MAX_LENGTH = 80;
/** Rejects most names by length: names with the same words differ only by separators, endings and stop words. */
const MAX_LENGTH_DIFFERENCE = 12;
const WORD_BOUNDARY = /[^\p{L}\p{N}+#]+|(?<=\p{Ll})(?=\p{Lu})/u;

/** '' for a stop word. */
const termOf = (word: string): string => (PLAIN_WORD.test(word) ? plainTerm(word) : (analyze(word)[0] ?? ''));

/** The terms of a query: the same for `getWeather`, `get_weather` and `get weather`. */
function wordsOf(query: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const word of query.split(WORD_BOUNDARY)) {
    const term = termOf(word);
    if (term !== '') words.add(term);
  }
  return words;
}

/** Whether a name has all these words and no others. Most names fail at their first word. */
function hasExactly(name: string, words: ReadonlySet<string>): boolean {
  const found = new Set<string>();
  for (const word of name.split(WORD_BOUNDARY)) {
    const term = termOf(word);
    if (term === '') continue;
    if (!words.has(term)) return false;
    found.add(term);
  }
  return found.size === words.size;
}

/** The same for a query of plain words, from the cached words of the query; null for other queries. */
function plainWordsOf(query: string): ReadonlySet<string> | null {
  const words = plainWords(query);
  if (words === null) return null;
  const unique = new Set<string>();
  for (const { terms } of words) for (const { term } of terms) unique.add(term);
  return unique;
}

/** Returns a function that tells whether a name has exactly the words of the query. Null if the query cannot be a name. */
export function nameMatcher(query: string): ((name: string) => boolean) | null {
  if (query.length > MAX_LENGTH) return null;
  const queryWords = plainWordsOf(query) ?? wordsOf(query);
  if (queryWords.size === 0 || queryWords.size > MAX_TERMS) return null;
  return (name) => {
    if (Math.abs(name.length - query.length) > MAX_LENGTH_DIFFERENCE) return false;
    return hasExactly(name, queryWords);
  };
}
