import { analyze } from '../text/analyzer.ts';

/** Names are short; a longer query describes. */
const MOST_TERMS = 5;
const LONGEST_NAME = 80;
/** Names of the same words differ in length by their joiners, endings and stop words at most: most need no closer look. */
const MOST_JOINERS = 12;
const BORDERS = /[^\p{L}\p{N}+#]+|(?<=\p{Ll})(?=\p{Lu})/u;

/** The words of a name or a query, however they are joined: `getWeather`, `get_weather` and `get weather` have the same. */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(BORDERS).flatMap((word) => analyze(word).slice(0, 1)));
}

/** Tells whether something is called just what the query says. Null for a query that is no name. */
export function nameMatcher(query: string): ((name: string) => boolean) | null {
  if (query.length > LONGEST_NAME) return null;
  const asked = wordsOf(query);
  if (asked.size === 0 || asked.size > MOST_TERMS) return null;
  return (name) => {
    if (Math.abs(name.length - query.length) > MOST_JOINERS) return false;
    const words = wordsOf(name);
    return words.size === asked.size && [...words].every((word) => asked.has(word));
  };
}
