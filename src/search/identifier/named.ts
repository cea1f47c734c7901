import { analyze } from '../text/analyzer.ts';
import { PLAIN_WORD, plainTerm } from '../text/identifier-terms.ts';
import { plainWords } from '../text/query-words.ts';

/** Names are short; a longer query describes. */
const MAX_TERMS = 5;
const MAX_NAME = 80;
/** Names of the same words differ in length by their joiners, endings and stop words at most: most need no closer look. */
const MAX_JOINERS = 12;
const BORDERS = /[^\p{L}\p{N}+#]+|(?<=\p{Ll})(?=\p{Lu})/u;

/** The words of a name or a query, however they are joined: `getWeather`, `get_weather` and `get weather` have the same. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const word of text.split(BORDERS)) {
    const term = PLAIN_WORD.test(word) ? plainTerm(word) : (analyze(word)[0] ?? '');
    if (term !== '') words.add(term);
  }
  return words;
}

/** The same for a query of plain words, which need not be read again; null for any other. */
function plainWordsOf(query: string): ReadonlySet<string> | null {
  const words = plainWords(query);
  if (words === null) return null;
  const said = new Set<string>();
  for (const { terms } of words) for (const { term } of terms) said.add(term);
  return said;
}

/** Tells whether something is called just what the query says. Null for a query that is no name. */
export function nameMatcher(query: string): ((name: string) => boolean) | null {
  if (query.length > MAX_NAME) return null;
  const asked = plainWordsOf(query) ?? wordsOf(query);
  if (asked.size === 0 || asked.size > MAX_TERMS) return null;
  return (name) => {
    if (Math.abs(name.length - query.length) > MAX_JOINERS) return false;
    const words = wordsOf(name);
    return words.size === asked.size && [...words].every((word) => asked.has(word));
  };
}
