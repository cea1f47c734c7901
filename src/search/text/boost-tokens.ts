/** The registry's list of stop words. Words shorter than MIN_LENGTH are dropped anyway. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the is are was were be been being have has had do does did will would could should may might can ' +
    'to of in on at by for with about as into through from what when where who which how why get set put'
  ).split(' '),
);

const MIN_LENGTH = 3;
const NOT_WORD = /[^\p{L}\p{N}_]+/u;

/**
 * Query tokens for the registry's substring boost, by the registry's rules: split at everything except letters, numbers
 * and `_`, drop stop words and words of fewer than three code points, lower-case the rest.
 * Keeps the order and repeats: a repeated token counts twice in a tool's coverage.
 */
export function boostTokens(query: string): readonly string[] {
  const tokens: string[] = [];
  for (const word of query.split(NOT_WORD)) {
    if (!isLongEnough(word)) continue;
    const token = word.toLowerCase();
    if (!STOP_WORDS.has(token)) tokens.push(token);
  }
  return tokens;
}

/** Counts code points only for short words: a code point has at most two UTF-16 code units. */
function isLongEnough(word: string): boolean {
  return word.length >= 2 * MIN_LENGTH || (word.length >= MIN_LENGTH && [...word].length >= MIN_LENGTH);
}
